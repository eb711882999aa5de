#include "preprocess/remesh/ssdf_check.h"

#include <algorithm>
#include <cmath>

#include "preprocess/remesh/surface_sampler.h"
#include "runtime/bvh/traversal.h"
#include "runtime/core/parallel.h"
#include "runtime/ssdf/ssdf.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kReach = 2;         // spacings from the surface
constexpr double kJudged = 0.25;     // spacings from the surface beyond which a sign is judged
constexpr double kTolerance = 1e-9;  // relative weight of the points omitted from the sum
constexpr int kHalvings = 24;

// The soft distance computed from the points near p only: those beyond |p - p_i|^2 = d^2 + eps1 ln(points /
// tolerance), with d the distance to the nearest point, carry at most the tolerance.
double soft_distance_near(const asset::PointsView& points, const Vec3& p, double eps1) {
  double nearest2 = std::numeric_limits<double>::infinity();
  const auto each = [&](std::int32_t first, std::int32_t count, auto&& use) {
    for (std::int32_t i = first; i < first + count; ++i)
      use((p - Vec3(points.x[i], points.y[i], points.z[i])).eval(),
          Vec3(points.nx[i], points.ny[i], points.nz[i]));
  };
  bvh::visit_nearest<double>(
      points.tree, p, nearest2, [&](std::int32_t first, std::int32_t count, double& bound) {
        each(first, count,
             [&](const Vec3& from, const Vec3&) { bound = std::min(bound, from.squaredNorm()); });
      });
  double reach2 = nearest2 + eps1 * std::log(points.point_count / kTolerance);
  double total = 0, sum = 0;
  bvh::visit_nearest<double>(points.tree, p, reach2, [&](std::int32_t first, std::int32_t count, double&) {
    each(first, count, [&](const Vec3& from, const Vec3& n) {
      const double w = std::exp((nearest2 - from.squaredNorm()) / eps1);
      total += w;
      sum += w * n.dot(from);
    });
  });
  return sum / total;
}

// Distance along the normal from x to the first change of sign on a grid of eighths of a spacing, refined by
// bisection; two spacings if there is none.
double offset_along(const asset::PointsView& points, const Vec3& x, const Vec3& n, double eps1) {
  const double step = points.spacing / 8;
  const auto value = [&](double t) { return soft_distance_near(points, x + t * n, eps1); };
  const double start = value(0);
  if (start == 0) return 0;
  // Outward if the sign at x is negative (inside), else inward.
  const double way = start < 0 ? step : -step;
  double inner = 0, outer = 0;
  do {
    inner = outer;
    outer += way;
    if (std::abs(outer) > kReach * points.spacing) return kReach * points.spacing;
  } while ((value(outer) < 0) == (start < 0));
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (inner + outer) / 2;
    ((value(middle) < 0) == (start < 0) ? inner : outer) = middle;
  }
  return std::abs(outer);
}

}  // namespace

SsdfCheck check_ssdf(const asset::PointsView& points, const ReferenceSurface& surface,
                     const SsdfCheckParameters& parameters) {
  const double eps1 = ssdf::default_eps1(points);
  const SurfaceSampler sample(surface.view());
  std::vector<char> verdicts(static_cast<std::size_t>(parameters.samples));  // 0 not judged, 1 right, 2 wrong
  parallel_for(
      parameters.samples, 0,
      [&](std::int64_t i, int) {
        Random random(parameters.seed, static_cast<std::uint64_t>(i));
        const Vec3 on = sample(random).first;
        const Vec3 p = on + kReach * points.spacing * in_unit_ball(random);
        const double exact = surface.signed_distance(p);
        if (std::abs(exact) <= kJudged * points.spacing) return;
        verdicts[i] = (soft_distance_near(points, p, eps1) < 0) == (exact < 0) ? 1 : 2;
      },
      64);
  std::vector<double> offsets(static_cast<std::size_t>(parameters.rays));
  parallel_for(
      parameters.rays, 0,
      [&](std::int64_t i, int) {
        Random random(parameters.seed + 1, static_cast<std::uint64_t>(i));
        const auto [x, t] = sample(random);
        offsets[i] = offset_along(points, x, surface.normal(t), eps1);
      },
      64);
  SsdfCheck check;
  for (const char verdict : verdicts) {
    check.judged += verdict != 0;
    check.wrong += verdict == 2;
  }
  if (check.judged > 0)
    check.wrong_percent = 100.0 * static_cast<double>(check.wrong) / static_cast<double>(check.judged);
  for (const double offset : offsets) {
    check.offset_mean += offset / static_cast<double>(offsets.size());
    check.offset_worst = std::max(check.offset_worst, offset);
    check.lost_percent += offset >= kReach * points.spacing ? 100.0 / static_cast<double>(offsets.size()) : 0;
  }
  return check;
}

std::map<std::string, double> measures_of(const SsdfCheck& c, const std::string& prefix) {
  return {{prefix + "sign_judged", static_cast<double>(c.judged)},
          {prefix + "sign_wrong_percent", c.wrong_percent},
          {prefix + "zero_offset_mean_m", c.offset_mean},
          {prefix + "zero_offset_worst_m", c.offset_worst},
          {prefix + "zero_lost_percent", c.lost_percent}};
}

}  // namespace abut::preprocess
