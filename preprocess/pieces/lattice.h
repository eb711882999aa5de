#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// Signed distances around a closed surface, for fast searches. Internal to the pieces.
namespace abut::preprocess {

// How far a polytope reaches outside the surface, as sampled by a lattice.
struct Overreach {
  double worst = 0;                              // largest distance to the surface, m
  Eigen::Vector3d at = Eigen::Vector3d::Zero();  // where that is attained, m
};

// A point on a level set of the signed distance, with the direction of steepest increase.
struct LevelPoint {
  Eigen::Vector3d p;  // m
  Eigen::Vector3d n;  // unit
};

// Signed distances of a surface at the nodes of a lattice around it: a fast estimate for searches. Exact
// outside and near the surface; deep inside the values are only known to be negative.
class OutsideLattice {
 public:
  // `spacing` (m) of the nodes is increased if there would be more than kMaxNodes.
  OutsideLattice(const asset::SurfaceView& surface, double spacing);

  double spacing() const { return spacing_; }  // m

  // Largest distance outside, over the nodes in the polytope and the points where lattice lines along x, y
  // and z leave it.
  Overreach overreach(const Polytope& polytope) const;

  // Points where lattice lines cross the level `height` (m, positive), one for each node.
  std::vector<LevelPoint> level(double height) const;

 private:
  static constexpr double kMaxNodes = 3e6;

  struct Scan;
  double between(const Eigen::Vector3d& p) const;
  Eigen::Vector3d uphill(const Eigen::Vector3d& p) const;
  void scan_ends(const Polytope& polytope, int axis, Scan& scan) const;
  void take_end(Eigen::Vector3d node, int axis, double x, Scan& scan) const;
  std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * count_[1] + y) * count_[0] + x;
  }

  double spacing_;
  Eigen::Vector3d origin_;  // m
  int count_[3];
  std::vector<float> distance_;  // (z, y, x) m
};

}  // namespace abut::preprocess
