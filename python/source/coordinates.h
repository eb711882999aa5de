#pragma once

#include "runtime/dynamics/system/system_tree.h"

namespace abut::python {

// States of a system as vectors z = (q; v) of the independent joints of its tree (system_tree.h). The types
// of the joints define q (tree/tree.h); a body without a joint has a free one. Derivatives of steps are with
// respect to x = (tangent of q; v), which has one number fewer for each quaternion.
class Coordinates {
 public:
  explicit Coordinates(const dynamics::System& system);

  const dynamics::SystemTree& tree() const { return tree_; }
  Eigen::Index nz() const { return nq_ + nv_; }
  Eigen::Index nx() const { return 2 * nv_; }
  Eigen::Index nq() const { return nq_; }

  // Convert a state to nz numbers and back; quaternions may have any length but zero. Throw InvalidInput for
  // numbers that are not finite.
  void pack(const dynamics::State& state, double* z) const;
  dynamics::State unpack(const double* z) const;
  // The coordinates of tree() alone, (tree().tree().nq()).
  dynamics::VecX<double> configuration(const double* z) const;

  // Convert a gradient with respect to z to one with respect to x, (dz/dx)' g, and back, (dx/dz)' g,
  // including the normalisation of quaternions on use.
  void by_tangent(const double* z, const double* by_z, double* by_x) const;
  void by_vector(const double* z, const double* by_x, double* by_z) const;

 private:
  struct Block {
    dynamics::JointType type;
    Eigen::Index tree_q, q, v;  // first index in the tree's q, in z, in x
  };

  dynamics::SystemTree tree_;
  std::vector<Block> blocks_;  // of the independent joints
  Eigen::Index nq_ = 0, nv_ = 0;
};

}  // namespace abut::python
