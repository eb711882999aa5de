#pragma once

#include "preprocess/mesh/box_tree.h"
#include "preprocess/mesh/deviation.h"
#include "preprocess/mesh/editable_mesh.h"

namespace abut::preprocess {

// Why a local change is refused, in the order of the checks.
enum class Refusal { kNone, kTopology, kShape, kFold, kDistance, kCrossing };

// What a change may do to shapes. A triangle that is worse already may stay as bad as the worst of its patch.
struct ShapeLimits {
  double quality = 0.3;        // least shape_quality of a new triangle
  double normal_cosine = 0.5;  // of the angle between a triangle's normals before and after
};

// The checks that each local change of a surface must pass, and the structures behind them.
class ChangeCheck {
 public:
  // `spacing` and set_tolerance() as for Deviation.
  ChangeCheck(const EditableMesh& mesh, const TriangleMesh& original, double spacing);
  void set_tolerance(double tolerance) { deviation_.set_tolerance(tolerance); }

  Refusal check(const EditableMesh& mesh, const Change& change, const ShapeLimits& limits);
  // Call right after check() allowed the change and the mesh has applied it.
  void commit(const EditableMesh& mesh, const Change& change);

 private:
  bool crosses(const EditableMesh& mesh, const Change& change) const;
  void rebuild(const EditableMesh& mesh);

  BoxTree tree_;
  std::size_t faces_when_built_ = 0;
  Deviation deviation_;
};

// Least shape quality of the faces that a change takes away, and of those that it adds.
double least_quality_before(const EditableMesh& mesh, const Change& change);
double least_quality_after(const EditableMesh& mesh, const Change& change);

}  // namespace abut::preprocess
