#pragma once

#include "preprocess/mesh/box_tree.h"
#include "preprocess/mesh/deviation.h"
#include "preprocess/mesh/editable_mesh.h"

namespace abut::preprocess {

// The check that refuses a local change, in the order of the checks.
enum class Refusal { kNone, kTopology, kShape, kFold, kDistance, kCrossing };

// Limits on the triangles that a change creates. A triangle may violate a limit if the worst triangle of the
// replaced patch is at least as bad.
struct ShapeLimits {
  double quality = 0.3;        // least shape_quality of a new triangle
  double normal_cosine = 0.5;  // least cosine of the angle between a triangle's normals before and after
};

// The checks that each local change of a surface must pass, with the data structures that they need.
class ChangeCheck {
 public:
  // `spacing` and set_tolerance() have the meaning they have for Deviation.
  ChangeCheck(const EditableMesh& mesh, const TriangleMesh& original, double spacing);
  void set_tolerance(double tolerance) { deviation_.set_tolerance(tolerance); }

  Refusal check(const EditableMesh& mesh, const Change& change, const ShapeLimits& limits);
  // Updates the structures. Call it right after check() allowed the change and the mesh has applied it.
  void commit(const EditableMesh& mesh, const Change& change);

 private:
  bool crosses(const EditableMesh& mesh, const Change& change) const;
  void rebuild(const EditableMesh& mesh);

  BoxTree tree_;
  std::size_t faces_when_built_ = 0;
  Deviation deviation_;
};

// Least shape quality of the faces that a change removes, and of those that it adds.
double least_quality_before(const EditableMesh& mesh, const Change& change);
double least_quality_after(const EditableMesh& mesh, const Change& change);

}  // namespace abut::preprocess
