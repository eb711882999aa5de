#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"

// Random points on and near a surface.
namespace abut::preprocess {

// Draws points of the surface, uniform by area, each with its triangle.
class SurfaceSampler {
 public:
  explicit SurfaceSampler(const asset::SurfaceView& surface) : surface_(surface) {
    double sum = 0;
    for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
      const Eigen::Vector3d a = corner(t, 0);
      sum += (corner(t, 1) - a).cross(corner(t, 2) - a).norm();
      until_.push_back(sum);
    }
  }

  std::pair<Eigen::Vector3d, std::int32_t> operator()(Random& random) const {
    const double at = random.uniform() * until_.back();
    const auto t = static_cast<std::int32_t>(std::min<std::ptrdiff_t>(
        std::upper_bound(until_.begin(), until_.end(), at) - until_.begin(), surface_.triangle_count - 1));
    double u = random.uniform(), v = random.uniform();
    if (u + v > 1) {
      u = 1 - u;
      v = 1 - v;
    }
    return {(1 - u - v) * corner(t, 0) + u * corner(t, 1) + v * corner(t, 2), t};
  }

 private:
  Eigen::Vector3d corner(std::int32_t t, int k) const {
    return distance::internal::corner<double>(surface_, t, k);
  }

  const asset::SurfaceView& surface_;
  std::vector<double> until_;
};

// A random point, uniform in the unit ball.
inline Eigen::Vector3d in_unit_ball(Random& random) {
  for (;;) {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
    if (x * x + y * y + z * z <= 1) return {x, y, z};
  }
}

}  // namespace abut::preprocess
