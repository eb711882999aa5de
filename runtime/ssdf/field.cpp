#include "runtime/ssdf/field.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace abut::ssdf {

namespace {

using internal::DistanceSums;
using internal::Nearby;
using simd::Four;

// Cutoffs of a batch: the logarithms are taken once for points near the surface.
struct Cutoffs {
  static constexpr double kNear = 4;  // depth in units of sqrt(eps1)

  Cutoffs(const asset::PointsView& points, double eps1, Order order, double tolerance)
      : count(points.point_count),
        wanted(order),
        relative(tolerance),
        inverse_eps1(1 / eps1),
        near(internal::cutoff(count, relative, wanted, kNear)) {
    near = std::max(near, internal::cutoff(count, relative, wanted, 0.0));
  }

  double operator()(double distance2) const {
    const double depth2 = distance2 * inverse_eps1;
    return depth2 <= kNear * kNear ? near : internal::cutoff(count, relative, wanted, std::sqrt(depth2));
  }

  std::int32_t count;
  Order wanted;
  double relative, inverse_eps1, near;
};

ABUT_CLONES
void descend_by_fours(const asset::PointBlocksView& blocks, const double* p, Nearby<double>& nearby) {
  internal::descend<Four>(blocks, p, nearby);
}

ABUT_CLONES
void sums_by_fours(const asset::PointBlocksView& blocks, const double* p, double eps1, double cut,
                   Order order, Nearby<double>& nearby, DistanceSums<double>& sums) {
  if (order == Order::kValue)
    internal::near_sums<0, Four>(blocks, p, eps1, cut, nearby, sums);
  else if (order == Order::kGradient)
    internal::near_sums<1, Four>(blocks, p, eps1, cut, nearby, sums);
  else
    internal::near_sums<2, Four>(blocks, p, eps1, cut, nearby, sums);
}

SoftDistance<double> distance_by_fours(const asset::PointBlocksView& blocks, const Vec3<double>& p_Q,
                                       double eps1, Order order, const Cutoffs& cutoffs) {
  Nearby<double> nearby{{}, {}, std::numeric_limits<double>::max()};
  descend_by_fours(blocks, p_Q.data(), nearby);
  DistanceSums<double> sums;
  sums_by_fours(blocks, p_Q.data(), eps1, cutoffs(nearby.distance2), order, nearby, sums);
  double g0 = 0;
  for (int k = 0; k < 3; ++k) g0 += nearby.n[k] * (p_Q[k] - nearby.x[k]);
  return internal::from_sums(sums, g0, eps1, order);
}

}  // namespace

SoftDistance<double> soft_distance(const asset::PointsView& points, const Vec3<double>& p_Q, double eps1,
                                   Order order, double tolerance) {
  if (!p_Q.allFinite() || !(eps1 > 0) || !std::isfinite(1 / eps1) || !(tolerance > 0) ||
      points.blocks.block_count <= 0)
    return internal::no_distance<double>();
  return distance_by_fours(points.blocks, p_Q, eps1, order, Cutoffs(points, eps1, order, tolerance));
}

void soft_distances(const asset::PointsView& points, std::span<const Vec3<double>> p_Q, double eps1,
                    Order order, std::span<SoftDistance<double>> results, double tolerance, int threads) {
  if (p_Q.size() != results.size())
    throw InvalidInput("soft distance: " + std::to_string(p_Q.size()) + " points but room for " +
                       std::to_string(results.size()) + " results");
  if (!(eps1 > 0) || !std::isfinite(1 / eps1))
    throw InvalidInput("soft distance: eps1 is " + std::to_string(eps1) + " m^2; it must be positive");
  if (!(tolerance > 0))
    throw InvalidInput("soft distance: the tolerance is " + std::to_string(tolerance) +
                       "; it must be positive");
  if (points.blocks.block_count <= 0)
    throw InvalidInput(
        "soft distance: the asset has no oriented points; preprocess the object again with --quads");
  const Cutoffs cutoffs(points, eps1, order, tolerance);
  const auto answer = [&](std::int64_t i, int) {
    results[i] = p_Q[i].allFinite() ? distance_by_fours(points.blocks, p_Q[i], eps1, order, cutoffs)
                                    : internal::no_distance<double>();
  };
  parallel_for(static_cast<std::int64_t>(p_Q.size()), threads, answer, 256);
}

}  // namespace abut::ssdf
