#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/pieces/polytope.h"
#include "runtime/asset/asset.h"

// Signed distances about a closed surface, for searches. Internal to the pieces.
namespace abut::preprocess {

// What of a polytope is outside, as a lattice shows it.
struct Overreach {
  double worst = 0;                              // distance to the surface, m
  Eigen::Vector3d at = Eigen::Vector3d::Zero();  // of the worst, m
};

// A point at a level of the signed distance, and the way in which that grows most there.
struct LevelPoint {
  Eigen::Vector3d p;  // m
  Eigen::Vector3d n;  // unit
};

// Signed distances of a surface at the nodes of a lattice about it: a fast estimate for searches. Exact
// outside and beside the surface; deep inside negative numbers stand for them.
class OutsideLattice {
 public:
  // `spacing` (m) of the nodes, greater where there would be more than kMaxNodes.
  OutsideLattice(const asset::SurfaceView& surface, double spacing);

  // At the nodes in the polytope, and where lines of nodes along x, y and z leave it.
  Overreach overreach(const Polytope& polytope) const;

  // Where lines of nodes cross the level `height` (m, positive), one point for a node.
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
