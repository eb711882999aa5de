#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/mesh/mesh.h"
#include "runtime/bvh/build.h"

namespace abut::preprocess {

// How deep a point inside a closed surface lies, and how thick the solid is around it. The local inradius of
// a point is the radius of the largest ball within the solid that meets the point's own (the one about it
// that touches the surface); the local thickness of [Hildebrand1997] with a slack that makes light of the
// dents of a curved surface cut into triangles. A ball counts in full where the two overlap by a quarter of
// the own one's radius, and less where by less: a part about as long as it is wide, whose balls just meet
// those of the body behind it, has one thickness. In a plate it is half the plate's thickness everywhere. On
// the ridge that runs inward from an edge of half-angle a, depth / inradius is
// (1 - sin a) / (1 + 3/4 sin a), 0.19 in a box: no point near the edge passes for a deep one.
//
// The balls are the shrinking balls [Ma2012] of points spread over the surface; where the solid is thin for
// the samples' spacing, the one that touches the surface at the point's own foot comes to them.
class LocalInradius {
 public:
  // Keeps the surface by reference.
  explicit LocalInradius(const TriangleMesh& surface);

  struct Foot {
    Eigen::Vector3d point;  // nearest on the surface, m
    double distance = 0;    // m
    std::int32_t triangle = -1;
  };
  Foot foot(const Eigen::Vector3d& point) const;
  // The same, faster, for a point known to be no further than `at_most` (m) from the surface.
  Foot foot_within(const Eigen::Vector3d& point, double at_most) const;
  // Unsigned distance to the surface, m.
  double depth(const Eigen::Vector3d& point) const { return foot(point).distance; }

  // m; never less than the depth. `point` is inside.
  double inradius(const Eigen::Vector3d& point) const;
  double inradius(const Eigen::Vector3d& point, const Foot& foot) const;

  // Of the way from the surface to the core, which begins at the depth (1 - core_fraction) x inradius, to
  // first order; above 1 within the core. `point` is inside.
  double share_of_way(const Eigen::Vector3d& point, double core_fraction) const;

  // The ball inside that touches the surface at `p` from the side of the unit vector `inward`.
  Ball shrinking_ball(const Eigen::Vector3d& p, const Eigen::Vector3d& inward) const;

  const std::vector<Ball>& balls() const { return balls_; }

 private:
  void sample_balls();
  bool is_free(const Eigen::Vector3d& center, double radius) const;
  // Moves a ball to where `counted(ball)` is larger.
  template <class Counted>
  Ball grow(Ball ball, const Counted& counted) const;
  // The sample that counts most for a point at this depth, if for more than the depth, and for how much.
  struct Sample {
    std::int32_t ball = -1;
    double counted = 0;  // m
  };
  Sample best_sample(const Eigen::Vector3d& point, double depth) const;

  const TriangleMesh& surface_;
  double diagonal_;
  bvh::BuiltTree triangles_;
  std::vector<Ball> balls_;
  std::vector<double> spacing_;  // of each ball's sample from the next on the surface, m
  bvh::BuiltTree ball_tree_;
};

}  // namespace abut::preprocess
