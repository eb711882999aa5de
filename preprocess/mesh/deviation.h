#pragma once

#include "preprocess/mesh/box_tree.h"
#include "preprocess/mesh/editable_mesh.h"

namespace abut::preprocess {

// The gate on how far a surface under change may be from its original, in both directions, at samples. The
// original's samples (its vertices and a lattice on its triangles) are each attached to a triangle of the
// current surface and handed on when that changes; distances to the attached triangle bound the true ones
// from above. Samples of new triangles are measured against the original.
class Deviation {
 public:
  // `spacing`: of the samples on both surfaces, m.
  Deviation(const TriangleMesh& original, double spacing);

  // Largest distance allowed from now on, m. Must not fall.
  void set_tolerance(double tolerance) { tolerance2_ = tolerance * tolerance; }

  // Whether the surface stays within the tolerance under the change. Remembers which sample goes where.
  bool allows(const EditableMesh& mesh, const Change& change);
  // Hands on the samples. Call right after allows() said yes to the same change.
  void commit(const Change& change);

 private:
  bool near_original(const Eigen::Vector3d& p);
  bool added_near_original(const EditableMesh& mesh, const Change& change);

  TriangleMesh original_;
  BoxTree tree_;
  double spacing_;
  double tolerance2_ = 0;
  std::int32_t last_near_ = 0;  // triangle of the original that the last sample was near to
  std::vector<Eigen::Vector3d> samples_;
  std::vector<std::vector<std::int32_t>> attached_;  // samples of each face
  std::vector<std::vector<std::int32_t>> moved_;     // scratch: samples of each added triangle
};

}  // namespace abut::preprocess
