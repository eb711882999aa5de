#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "benchmarks/soft_minimum/studies.h"
#include "benchmarks/support/cup.h"
#include "runtime/cli/asset_folder.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/ssdf/kernel.h"
#include "runtime/ssdf/primitives.h"

namespace abut::soft_minimum_studies {

namespace {

using asset::PointsView;
using ssdf::KernelKind;

Vec3<double> random_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

// A point of the exact surface near a random point of the cloud, with that one's normal.
Vec3<double> surface_point(const body::Geometry& object, Random& random, Vec3<double>& n) {
  const PointsView& points = object.points();
  const auto i = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(points.point_count)));
  n = {points.nx[i], points.ny[i], points.nz[i]};
  const Vec3<double> near =
      Vec3<double>(points.x[i], points.y[i], points.z[i]) + 0.4 * points.spacing * random_vector(random);
  return distance::signed_distance<double>(object.surface(), near).closest;
}

struct Samples {
  std::vector<Vec3<double>> surface, near, far;
  std::vector<double> near_distance, far_distance;  // exact
};

Samples sample(const body::Geometry& object, int count) {
  Random random(3);
  Samples samples;
  const double h = object.points().spacing;
  const auto exact = [&](const Vec3<double>& p) {
    return distance::signed_distance<double>(object.surface(), p).distance;
  };
  for (int i = 0; i < count; ++i) {
    Vec3<double> n;
    const Vec3<double> x = surface_point(object, random, n);
    samples.surface.push_back(x);
    const Vec3<double> close = x + random.uniform(-1.5, 1.5) * h * n;
    if (std::abs(exact(close)) > 0.1 * h) {
      samples.near.push_back(close);
      samples.near_distance.push_back(exact(close));
    }
    const double reach = 1.3 * object.points().blocks.radius;
    const Vec3<double> wide =
        Vec3<double>::Map(object.points().blocks.center) +
        reach * Vec3<double>(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    if (std::abs(exact(wide)) > 0.1 * h) {
      samples.far.push_back(wide);
      samples.far_distance.push_back(exact(wide));
    }
  }
  return samples;
}

std::vector<double> values(const ssdf::KernelField& field, const std::vector<Vec3<double>>& p) {
  std::vector<ssdf::SoftDistance<double>> results(p.size());
  field.distances(p, ssdf::Order::kValue, results, 1e-9, 1);
  std::vector<double> value;
  for (const auto& result : results) value.push_back(result.value);
  return value;
}

// Percentage of values with the wrong sign; those without a value do not count.
double wrong_percent(const std::vector<double>& value, const std::vector<double>& exact) {
  int wrong = 0, judged = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (std::isnan(value[i])) continue;
    ++judged;
    wrong += (value[i] < 0) != (exact[i] < 0) ? 1 : 0;
  }
  return judged > 0 ? 100.0 * wrong / judged : std::nan("");
}

double mean_gap(const std::vector<double>& value, const std::vector<double>& exact) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (std::isnan(value[i])) continue;
    sum += std::abs(value[i] - exact[i]);
    ++count;
  }
  return sum / count;
}

}  // namespace

void kernels(const std::string& folder) {
  constexpr std::pair<KernelKind, const char*> kKernels[] = {{KernelKind::kGaussian, "gaussian"},
                                                             {KernelKind::kQuad, "quad"},
                                                             {KernelKind::kCompact, "compact"},
                                                             {KernelKind::kWall, "wall"},
                                                             {KernelKind::kTwoStage, "two_stage"}};
  cli::AssetFolder assets(folder);
  fmt::print("object,points,kernel,near_wrong_percent,far_wrong_percent,on_surface,near_error\n");
  for (const std::string& name : assets.names()) {
    const body::Geometry& object = assets[name];
    const Samples samples = sample(object, 4000);
    const double h = object.points().spacing;
    for (const auto& [kind, label] : kKernels) {
      const ssdf::KernelField field(object.points(), kind, ssdf::default_eps1(object.points()));
      const std::vector<double> near = values(field, samples.near), zero(samples.surface.size(), 0.0);
      fmt::print("{},{},{},{:.2f},{:.2f},{:.4f},{:.4f}\n", name, object.points().point_count, label,
                 wrong_percent(near, samples.near_distance),
                 wrong_percent(values(field, samples.far), samples.far_distance),
                 mean_gap(values(field, samples.surface), zero) / h,
                 mean_gap(near, samples.near_distance) / h);
      std::fflush(stdout);
    }
  }
}

namespace {

// The nearest zero of the field on the normal through each of 2,000 points of the surface, in spacings; none
// within two of them: left out.
std::vector<double> zero_offsets(const body::Geometry& object, const ssdf::KernelField& field) {
  constexpr int kSamples = 2000, kSteps = 32;  // a spacing
  Random random(5);
  std::vector<double> offsets;
  for (int i = 0; i < kSamples; ++i) {
    Vec3<double> n;
    const Vec3<double> x = surface_point(object, random, n);
    std::vector<Vec3<double>> line;
    for (int k = -2 * kSteps; k <= 2 * kSteps; ++k)
      line.emplace_back(x + k * object.points().spacing / kSteps * n);
    const std::vector<double> value = values(field, line);
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k + 1 < value.size(); ++k) {
      const double a = value[k], b = value[k + 1];
      if ((a < 0) == (b < 0)) continue;
      const double t = (static_cast<double>(k) + a / (a - b)) / kSteps - 2;
      nearest = std::min(nearest, std::abs(t));
    }
    if (std::isfinite(nearest)) offsets.push_back(nearest);
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

}  // namespace

void zero_surface(const std::string& folder) {
  cli::AssetFolder assets(folder);
  fmt::print(
      "object,points,kernel,mean_offset_spacings,mean_offset_mm,p95_spacings,none_within_2_spacings_"
      "percent\n");
  for (const std::string& name : assets.names()) {
    const body::Geometry& object = assets[name];
    for (const bool wall : {false, true}) {
      const ssdf::KernelField field(object.points(), wall ? KernelKind::kWall : KernelKind::kGaussian,
                                    ssdf::default_eps1(object.points()));
      const std::vector<double> offsets = zero_offsets(object, field);
      const auto found = static_cast<double>(offsets.size());
      const double mean = std::accumulate(offsets.begin(), offsets.end(), 0.0) / found;
      fmt::print("{},{},{},{:.4f},{:.4f},{:.4f},{:.2f}\n", name, object.points().point_count,
                 wall ? "wall" : "gaussian", mean, 1e3 * mean * object.points().spacing,
                 offsets[offsets.size() * 95 / 100], 100 - found / 20);
      std::fflush(stdout);
    }
  }
}

namespace {

// The exact signed distances of two bodies at each other's points: how deep the deepest lies, which way that
// distance pushes the finger, and whether those of all other points inside push within 45 degrees of it: only
// there is the direction one.
struct Push {
  double distance = 1e300;
  Vec3<double> direction = Vec3<double>::Zero();
  bool one = true;
};

// Signed distance of a cylinder about z, and its gradient.
std::pair<double, Vec3<double>> cylinder_distance(double radius, double half_height, const Vec3<double>& p) {
  const double across = std::hypot(p.x(), p.y()), side = across - radius, end = std::abs(p.z()) - half_height;
  const Vec3<double> radial(p.x() / across, p.y() / across, 0), up(0, 0, std::copysign(1.0, p.z()));
  if (std::max(side, end) <= 0) return side > end ? std::pair{side, radial} : std::pair{end, up};
  const Vec3<double> away = std::max(side, 0.0) * radial + std::max(end, 0.0) * up;
  return {away.norm(), away.normalized()};
}

Push exact_push(const asset::SurfaceView& mug, const PointsView& finger, double radius, double half_height,
                const Pose<double>& X_MF) {
  Push deepest;
  std::vector<Vec3<double>> directions;
  const auto take = [&](double distance, const Vec3<double>& direction) {
    if (distance < 0) directions.push_back(direction);
    if (distance < deepest.distance) deepest = {distance, direction, true};
  };
  for (std::int32_t i = 0; i < finger.point_count; ++i) {
    const Vec3<double> p(finger.x[i], finger.y[i], finger.z[i]);
    const auto exact = distance::signed_distance<double>(mug, X_MF * p);
    take(exact.distance, exact.gradient);
  }
  const Pose<double> X_FM = X_MF.inverse();
  for (std::int32_t i = 0; i < mug.vertex_count; ++i) {
    const auto [distance, gradient] =
        cylinder_distance(radius, half_height, X_FM * Vec3<double>::Map(mug.vertices + 3 * i));
    take(distance, -(X_MF.R * gradient));
  }
  const double least = std::cos(std::numbers::pi / 4);
  for (const Vec3<double>& d : directions) deepest.one = deepest.one && d.dot(deepest.direction) > least;
  return deepest;
}

}  // namespace

void handle(const std::string& folder, const std::string& name) {
  constexpr double kRadius = 0.008, kHalfLength = 0.02, kSpacing = 0.001;
  cli::AssetFolder assets(folder);
  const body::Geometry& mug = assets[name];
  const PointsView& A = mug.points();
  const asset::OrientedPoints finger = ssdf::cylinder_points(kRadius, kHalfLength, kSpacing);
  const PointsView B = asset::view(finger);
  const benchmarks::Cup cup(A);
  Random random(6);
  std::vector<double> angles[2];
  int tried = 0;
  while (angles[0].size() < 1000 && tried < 200000) {
    ++tried;
    const Pose<double> X = benchmarks::finger_on_handle(A, cup, kRadius, random);
    const Push exact = exact_push(mug.surface(), B, kRadius, kHalfLength, X);
    if (!(exact.distance < -1e-4) || exact.distance < -0.002 || !exact.one) continue;
    for (const bool wall : {false, true}) {
      contact::SoftMinimumConfig config;
      if (wall) config.kernel = KernelKind::kWall;
      contact::SoftMinimum<double> found;
      contact::soft_minimum(A, B, X, Vec6<double>::Zero(), contact::parameters_of(config, A, B),
                            ssdf::Order::kValue, found);
      const Vec3<double> f = X.R * found.F_BBo_B.tail<3>();
      angles[wall].push_back(180 / std::numbers::pi *
                             std::acos(std::clamp(f.normalized().dot(exact.direction), -1.0, 1.0)));
    }
  }
  fmt::print(
      "mug,points,kernel,poses,within_30_degrees,within_90_degrees,median_degrees,p95_degrees,worst_"
      "degrees\n");
  for (const bool wall : {false, true}) {
    std::vector<double>& all = angles[wall];
    std::sort(all.begin(), all.end());
    const auto within = [&](double limit) {
      return std::upper_bound(all.begin(), all.end(), limit) - all.begin();
    };
    fmt::print("{},{},{},{},{},{},{:.1f},{:.1f},{:.1f}\n", name, A.point_count, wall ? "wall" : "gaussian",
               all.size(), within(30), within(90), all[all.size() / 2], all[all.size() * 95 / 100],
               all.back());
  }
}

void rim() {
  const asset::OrientedPoints lower = ssdf::box_points({0.08, 0.08, 0.03}, 0.008),
                              upper = ssdf::box_points({0.024, 0.024, 0.02}, 0.008);
  const PointsView A = asset::view(lower), B = asset::view(upper);
  fmt::print("kernel,x_m,force_N,force_of_uniform_pressure_N,center_off_spacings\n");
  for (const bool wall : {false, true})
    for (const double x : {-0.04, -0.013, 0.0, 0.03}) {
      contact::SoftMinimumConfig config;
      if (wall) config.kernel = KernelKind::kWall;
      const auto with = contact::parameters_of(config, A, B);
      const Pose<double> X{Mat3<double>::Identity(), {x, 0.01, 0.0496}};
      contact::SoftMinimum<double> found;
      contact::soft_minimum(A, B, X, Vec6<double>::Zero(), with, ssdf::Order::kValue, found);
      const Vec6<double> F_A = shift_wrench(X, found.F_BBo_B);
      const double depth = 0.0004,
                   flat = with.stiffness * with.eps3 * std::log1p(std::exp(depth / with.eps3));
      fmt::print("{},{},{:.4f},{:.4f},{:.4f}\n", wall ? "wall" : "gaussian", x, F_A[5], flat,
                 std::hypot(-F_A[1] / F_A[5] - x, F_A[0] / F_A[5] - 0.01) / 0.008);
    }
}

}  // namespace abut::soft_minimum_studies
