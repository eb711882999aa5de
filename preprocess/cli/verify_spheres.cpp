#include "preprocess/cli/verify_spheres.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "preprocess/remesh/surface_sampler.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr int kSamples = 8000;  // of the solid's box, of its surface, and of all spheres
constexpr std::uint64_t kSeed = 12;
constexpr double kRounding = 1e-9;  // over the size

// Distance of a point outside all spheres, m; negative inside one.
double outside(const asset::SphereSet& spheres, const Vector3d& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < spheres.radii.size(); ++i)
    least = std::min(least, (p - Vector3d::Map(spheres.centers.data() + 3 * i)).norm() - spheres.radii[i]);
  return least;
}

}  // namespace

std::vector<std::string> sphere_problems(const asset::Asset& asset) {
  const asset::SphereSet& spheres = asset.spheres.front();
  const asset::SurfaceView surface = asset::view(asset.surfaces.front());
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  const Vector3d low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
  const SurfaceSampler sample(surface);
  Random random(kSeed, 0);
  double left_out = 0, outward = 0;
  for (std::int32_t v = 0; v < surface.vertex_count; ++v)
    left_out = std::max(left_out, outside(spheres, vertices.col(v)));
  for (int i = 0; i < kSamples; ++i) {
    Vector3d p;
    for (int axis = 0; axis < 3; ++axis) p[axis] = random.uniform(low[axis], high[axis]);
    if (distance::signed_distance<double>(surface, p).distance < 0)
      left_out = std::max(left_out, outside(spheres, p));
    left_out = std::max(left_out, outside(spheres, sample(random).first));
    const std::size_t k = static_cast<std::size_t>(i) % spheres.radii.size();
    const Vector3d q =
        Vector3d::Map(spheres.centers.data() + 3 * k) + spheres.radii[k] * in_unit_ball(random).normalized();
    outward = std::max(outward, distance::signed_distance<double>(surface, q).distance);
  }
  const double rounding = kRounding * (high - low).norm();
  std::vector<std::string> problems;
  if (left_out > rounding)
    problems.push_back(fmt::format("radii: a point of the solid is {:.3g} m outside all spheres", left_out));
  if (!(outward <= spheres.error[0] + rounding))
    problems.push_back(
        fmt::format("error: they reach {:.3g} m outside, not {:.3g} m", outward, spheres.error[0]));
  return problems;
}

}  // namespace abut::preprocess
