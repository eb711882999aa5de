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
// dents of a curved surface cut into triangles. In a plate it is half the plate's thickness everywhere. On
// the ridge that runs inward from an edge of half-angle a, depth / inradius is (1 - sin a) / (1 + sin a),
// 0.17 in a box: no point near the edge passes for a deep one.
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

  // The ball inside that touches the surface at `p` from the side of the unit vector `inward`.
  Ball shrinking_ball(const Eigen::Vector3d& p, const Eigen::Vector3d& inward) const;

  const std::vector<Ball>& balls() const { return balls_; }

 private:
  void sample_balls();
  bool is_free(const Eigen::Vector3d& center, double radius) const;
  Ball grow(Ball ball, const Eigen::Vector3d& anchor, double anchor_radius) const;
  // The sample of the largest radius above `at_least` that meets a ball; -1 if there is none.
  std::int32_t largest_meeting(const Eigen::Vector3d& point, double depth, double at_least) const;

  const TriangleMesh& surface_;
  double diagonal_;
  bvh::BuiltTree triangles_;
  std::vector<Ball> balls_;
  std::vector<double> spacing_;  // of each ball's sample from the next on the surface, m
  bvh::BuiltTree ball_tree_;
};

}  // namespace abut::preprocess
