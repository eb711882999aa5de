#pragma once

#include "runtime/dynamics/tree/tree.h"

// Joints that mimic others: q = G q_independent + offset, v = G v_independent; G has one entry a row. In the
// independent coordinates the mass matrix is G' M G and the generalised forces are G' tau.
namespace abut::dynamics {

// The map from independent coordinates to those of a tree.
class MimicMap {
 public:
  explicit MimicMap(const Tree& tree);  // from Joint::mimic of its links

  int nq() const { return nq_; }  // independent coordinates
  int nv() const { return nv_; }  // independent velocities

  // Of the whole tree from the independent ones.
  VecX<double> coordinates(const VecX<double>& q_independent) const;
  VecX<double> velocities(const VecX<double>& v_independent) const;  // v = G v_independent
  VecX<double> forces(const VecX<double>& tau) const;                // G' tau
  MatX<double> mass_matrix(const MatX<double>& M) const;             // G' M G
  MatX<double> matrix() const;                                       // G, (tree.nv(), nv)

  // (nv) which velocities of the tree are independent.
  const std::vector<int>& independent_velocities() const { return place_v_; }
  // What a number of the whole tree is of the independent ones: `factor` times one of them and `offset`.
  struct Row {
    int independent;  // its index
    double factor;    // 1 for joints that mimic none
    double offset;    // rad or m; of velocities 0
  };
  // Of velocity d of the tree.
  const Row& velocity(int d) const { return v_[static_cast<std::size_t>(d)]; }
  // Sets the coordinates of the whole tree that mimic others from those.
  void obey(VecX<double>& q) const;
  // The same of velocities.
  void obey_velocities(VecX<double>& v) const;

 private:
  std::vector<Row> q_, v_;              // of each coordinate, of each velocity of the tree
  std::vector<int> place_q_, place_v_;  // of the independent ones in the tree
  int nq_ = 0, nv_ = 0;
};

}  // namespace abut::dynamics
