#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/core/random.h"
#include "runtime/math/pose.h"

// A mug and fingers on its handle.
namespace abut::benchmarks {

// The cup's axis (through the middle of its bottom, along z) and the distance beyond which there is only the
// handle.
struct Cup {
  Vec3<double> bottom = Vec3<double>::Zero();
  double wall = 0;

  explicit Cup(const asset::PointsView& points) {
    double lowest = 1e300;
    for (std::int32_t i = 0; i < points.point_count; ++i) lowest = std::min(lowest, points.z[i]);
    int count = 0;
    for (std::int32_t i = 0; i < points.point_count; ++i) {
      if (points.z[i] > lowest + 0.003) continue;
      bottom += Vec3<double>(points.x[i], points.y[i], points.z[i]);
      ++count;
    }
    bottom /= count;
    std::vector<double> away;
    for (std::int32_t i = 0; i < points.point_count; ++i) away.push_back(distance(points, i));
    std::nth_element(away.begin(), away.begin() + points.point_count / 2, away.end());
    wall = 1.15 * away[static_cast<std::size_t>(points.point_count / 2)];
  }
  double distance(const asset::PointsView& points, std::int32_t i) const {
    return std::hypot(points.x[i] - bottom.x(), points.y[i] - bottom.y());
  }
};

// A finger (about its z) on a random point of the handle, pressed in by up to 1 mm along the normal there, at
// any angle across it.
inline Pose<double> finger_on_handle(const asset::PointsView& points, const Cup& cup, double radius,
                                     Random& random) {
  std::int32_t i = 0;
  do i = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(points.point_count)));
  while (cup.distance(points, i) < cup.wall);
  const Vec3<double> n(points.nx[i], points.ny[i], points.nz[i]),
      any{random.normal(), random.normal(), random.normal()}, axis = n.cross(any).normalized();
  Pose<double> X;
  X.R.col(0) = n;
  X.R.col(1) = axis.cross(n);
  X.R.col(2) = axis;
  X.p = Vec3<double>(points.x[i], points.y[i], points.z[i]) + (radius - random.uniform(0, 0.001)) * n +
        random.uniform(-0.01, 0.01) * axis;
  return X;
}

}  // namespace abut::benchmarks
