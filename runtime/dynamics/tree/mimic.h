#pragma once

#include "runtime/dynamics/tree/tree.h"

// Joints that mimic others: q = G q_independent + offset and v = G v_independent, where each row of G has one
// nonzero entry. In the independent coordinates the mass matrix is G' M G and the generalised forces are G'
// tau.
namespace abut::dynamics {

// The map from the independent coordinates to all coordinates of a tree.
class MimicMap {
 public:
  explicit MimicMap(const Tree& tree);  // from the `mimic` of the tree's joints

  int nq() const { return nq_; }  // number of independent coordinates
  int nv() const { return nv_; }  // number of independent velocities

  // Computes all coordinates of the tree, (tree.nq()), from the independent ones.
  VecX<double> coordinates(const VecX<double>& q_independent) const;
  VecX<double> velocities(const VecX<double>& v_independent) const;  // v = G v_independent
  VecX<double> forces(const VecX<double>& tau) const;                // G' tau
  MatX<double> mass_matrix(const MatX<double>& M) const;             // G' M G
  MatX<double> matrix() const;                                       // G, (tree.nv(), nv)

  // Indices of the tree's velocities that are independent, (nv).
  const std::vector<int>& independent_velocities() const { return place_v_; }
  // A coordinate or velocity of the tree as `factor` times an independent one plus `offset`.
  struct Row {
    int independent;  // index of the independent one
    double factor;    // 1 for joints that do not mimic
    double offset;    // rad or m; 0 for velocities
  };
  // Returns the row of velocity d of the tree.
  const Row& velocity(int d) const { return v_[static_cast<std::size_t>(d)]; }
  // Sets those entries of the tree's q that mimic others from the entries that they mimic.
  void obey(VecX<double>& q) const;
  // Does the same for velocities.
  void obey_velocities(VecX<double>& v) const;

 private:
  std::vector<Row> q_, v_;              // of each coordinate and velocity of the tree
  std::vector<int> place_q_, place_v_;  // indices of the independent ones in the tree's q and v
  int nq_ = 0, nv_ = 0;
};

}  // namespace abut::dynamics
