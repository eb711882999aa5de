#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/core/random.h"
#include "runtime/dynamics/collide/placed_shape.h"

// Primitives where the search for contact points sees them.
namespace abut::test {

inline dynamics::PlacedShape placed(const body::Primitive& primitive, const Pose<double>& X_WS = {}) {
  dynamics::PlacedShape result(dynamics::Shape{body::Geometry(primitive), {}});
  result.place(X_WS, 0);
  return result;
}

inline Pose<double> random_pose(Random& random, double spread) {
  const Vec3<double> w(random.normal(), random.normal(), random.normal());
  return {exp_rotation<double>(w),
          {spread * random.normal(), spread * random.normal(), spread * random.normal()}};
}

inline double least_gap(const std::vector<dynamics::SurfacePoint>& points) {
  double gap = std::numeric_limits<double>::infinity();
  for (const dynamics::SurfacePoint& point : points) gap = std::min(gap, point.gap);
  return gap;
}

}  // namespace abut::test
