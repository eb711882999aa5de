#include "preprocess/spheres/spheres.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "preprocess/pieces/left_out.h"
#include "preprocess/pieces/outside.h"
#include "preprocess/remesh/surface_sampler.h"
#include "preprocess/spheres/centers.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr int kVertexPoints = 6'000, kSurfacePoints = 6'000, kInsidePoints = 2'000;  // at most, or about
// Relative to the cost: how much balls that hold the points may leave out, by which they are then enlarged;
// and an outward error that need not be known more accurately.
constexpr double kLeftOut = 0.01, kEnough = 0.05;
constexpr double kLeast = 1e-6;  // relative to the size: may be left out in any case
constexpr int kMaxRefinements = 12;

// Points of the surface and of the inside.
std::vector<Vector3d> points_to_hold(const asset::SurfaceView& surface) {
  std::vector<Vector3d> points;
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  for (std::int32_t v = 0; v < surface.vertex_count; v += 1 + surface.vertex_count / kVertexPoints)
    points.push_back(vertices.col(v));
  Random random(7, 0);
  const SurfaceSampler sample(surface);
  for (int i = 0; i < kSurfacePoints; ++i) points.push_back(sample(random).first);
  const Vector3d low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
  for (int i = 0; i < kInsidePoints; ++i) {
    Vector3d p;
    for (int axis = 0; axis < 3; ++axis) p[axis] = random.uniform(low[axis], high[axis]);
    if (distance::signed_distance<double>(surface, p).distance < 0) points.push_back(p);
  }
  return points;
}

}  // namespace

std::string SphereParameters::text() const { return count == 0 ? "none" : fmt::format("{}", count); }

SphereParameters sphere_parameters_from_string(const std::string& text) {
  SphereParameters result;
  if (text == "none") return result;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.count);
  if (error != std::errc() || end != text.data() + text.size() || result.count < 1 ||
      result.count > kMaxSpheres)
    throw InvalidInput(
        fmt::format("--spheres {}: give their largest number, 1 to {}, or none", text, kMaxSpheres));
  return result;
}

asset::SphereSet make_spheres(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                              const SphereParameters& parameters, Report& report, const Progress& progress) {
  Centers centers(mesh, surface, points_to_hold(surface));
  centers.grow(static_cast<std::size_t>(parameters.count),
               [&](std::size_t count) { progress(fmt::format("{} of {}", count, parameters.count)); });
  progress(fmt::format("exchanging, {:.2g} m outside", centers.cost()));
  centers.exchange();
  std::vector<Ball> balls = centers.balls();
  InwardError left;
  for (int i = 0;; ++i) {
    left = inward_error(mesh, surface, balls, std::max(kLeftOut * centers.cost(), kLeast * mesh.diagonal()));
    progress(fmt::format("{:.2g} m left out, {:.2g} m outside", left.most, centers.cost()));
    if (left.far.empty() || i == kMaxRefinements) break;
    centers.add(left.far);
    balls = centers.balls();
  }
  for (Ball& ball : balls) ball.radius = (ball.radius + left.most) * (1 + 1e-9);

  asset::SphereSet result;
  for (const Ball& ball : balls) {
    result.centers.insert(result.centers.end(), ball.center.data(), ball.center.data() + 3);
    result.radii.push_back(ball.radius);
  }
  result.error = {outward_error(surface, balls, kEnough * centers.cost()).most};
  report.measures["spheres"] = static_cast<double>(balls.size());
  report.measures["spheres_outward_m"] = result.error.front();
  return result;
}

}  // namespace abut::preprocess
