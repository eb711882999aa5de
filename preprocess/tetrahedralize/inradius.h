#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/mesh/mesh.h"
#include "runtime/bvh/build.h"

namespace abut::preprocess {

// The depth of points inside a closed surface and the local thickness of the solid. The local inradius of a
// point is the radius of the largest ball within the solid that meets the point's own ball (centred at it and
// touching the surface). This is the local thickness of [Hildebrand1997] with a tolerance that ignores the
// dents of a triangulated curved surface. A ball counts fully if the overlap is at least a quarter of the
// radius of the point's ball, and proportionally less otherwise, so that a part about as long as it is wide,
// whose balls only just meet those of the adjacent body, has a single thickness. In a plate the inradius is
// half the plate's thickness everywhere. On the ridge that runs inward from an edge of half-angle a, depth /
// inradius is (1 - sin a) / (1 + 3/4 sin a), 0.19 in a box: no point near the edge counts as deep.
//
// The balls are the shrinking balls [Ma2012] of sample points on the surface. Where the solid is thin
// relative to the sample spacing, the ball that touches the surface at the query point's foot is considered
// too.
class LocalInradius {
 public:
  // Keeps a reference to the surface.
  explicit LocalInradius(const TriangleMesh& surface);

  struct Foot {
    Eigen::Vector3d point;  // nearest surface point, m
    double distance = 0;    // m
    std::int32_t triangle = -1;
  };
  Foot foot(const Eigen::Vector3d& point) const;
  // The same as foot(), but faster, for a point known to be at most `at_most` (m) from the surface.
  Foot foot_within(const Eigen::Vector3d& point, double at_most) const;
  // Unsigned distance to the surface, m.
  double depth(const Eigen::Vector3d& point) const { return foot(point).distance; }

  // Local inradius, m; never less than the depth. `point` must be inside.
  double inradius(const Eigen::Vector3d& point) const;
  double inradius(const Eigen::Vector3d& point, const Foot& foot) const;

  // Depth as a share of the way from the surface to the core, which begins at the depth (1 - core_fraction) x
  // inradius; to first order, and above 1 within the core. `point` must be inside.
  double share_of_way(const Eigen::Vector3d& point, double core_fraction) const;

  // The largest ball inside the solid that touches the surface at `p`, with its centre in the direction of
  // the unit vector `inward`.
  Ball shrinking_ball(const Eigen::Vector3d& p, const Eigen::Vector3d& inward) const;

  const std::vector<Ball>& balls() const { return balls_; }

 private:
  void sample_balls();
  bool is_free(const Eigen::Vector3d& center, double radius) const;
  // Moves a ball to increase `counted(ball)`.
  template <class Counted>
  Ball grow(Ball ball, const Counted& counted) const;
  // The sample ball with the largest counted radius for a point at this depth, if that exceeds the depth.
  struct Sample {
    std::int32_t ball = -1;
    double counted = 0;  // counted radius, m
  };
  Sample best_sample(const Eigen::Vector3d& point, double depth) const;

  const TriangleMesh& surface_;
  double diagonal_;
  bvh::BuiltTree triangles_;
  std::vector<Ball> balls_;
  std::vector<double> spacing_;  // distance between a ball's surface sample and the next one, m
  bvh::BuiltTree ball_tree_;
};

}  // namespace abut::preprocess
