#pragma once

#include "preprocess/mesh/box_tree.h"
#include "preprocess/mesh/editable_mesh.h"

namespace abut::preprocess {

// Limits how far a surface under local changes deviates from its original, in both directions, by sampling.
// Each sample of the original (its vertices and a lattice on its triangles) is attached to a triangle of the
// current surface and reattached when that triangle changes; the distance to the attached triangle is an
// upper bound of the true distance. Samples of new triangles are measured against the original.
class Deviation {
 public:
  // `spacing`: distance between samples on both surfaces, m.
  Deviation(const TriangleMesh& original, double spacing);

  // Sets the largest distance allowed from now on, m. It must not decrease.
  void set_tolerance(double tolerance) { tolerance2_ = tolerance * tolerance; }

  // Whether the surface stays within the tolerance after the change. Remembers the samples' new triangles.
  bool allows(const EditableMesh& mesh, const Change& change);
  // Reattaches the samples. Call it right after allows() returned true for the same change.
  void commit(const Change& change);

 private:
  bool near_original(const Eigen::Vector3d& p);
  bool added_near_original(const EditableMesh& mesh, const Change& change);

  TriangleMesh original_;
  BoxTree tree_;
  double spacing_;
  double tolerance2_ = 0;
  std::int32_t last_near_ = 0;  // triangle of the original near which the last sample was found
  std::vector<Eigen::Vector3d> samples_;
  std::vector<std::vector<std::int32_t>> attached_;  // samples of each face
  std::vector<std::vector<std::int32_t>> moved_;     // scratch: samples of each added triangle
};

}  // namespace abut::preprocess
