#pragma once

#include <span>

#include "runtime/ssdf/block_sums.h"
#include "runtime/ssdf/ssdf.h"

// The soft signed distance computed only from the points that matter, to a certified tolerance.
namespace abut::ssdf {

// Highest order of the derivatives to compute; higher ones are zero.
enum class Order { kValue, kGradient, kHessian };

// Bound of the error of value, gradient and Hessian, relative to the sums of the absolute values of their
// terms. With lengths counted as at least sqrt(eps1) those sums are, in this order,
//   sum w_i r_i,   sum w_i (1 + r_i |a_i|),   sum w_i (2 |a_i| + (r_i + |value|) |a_i|^2),
// where r_i = |p - p_i| + sqrt(eps1), and |a_i| is increased by 1 / sqrt(eps1).
inline constexpr double kTolerance = 1e-12;

// Upper bound of eps1 (m^2): with it the absent points of a block, which are 1e100 m away, have no weight
// relative to real ones.
inline constexpr double kGreatestSmoothing = 1e150;
// Whether eps1 (m^2) is positive, has a finite reciprocal, and does not exceed that bound.
inline bool usable_smoothing(double eps1) {
  return eps1 > 0 && std::isfinite(1 / eps1) && eps1 <= kGreatestSmoothing;
}

namespace internal {

// The cutoff that defines which points are left out: those with |p - p_i|^2 > d^2 + eps1 cutoff, where d is
// the distance of some point. Together they weigh at most count e^-cutoff times that point, and with r their
// distance their terms are at most r, 8 r^2 / eps1 and 64 r^3 / eps1^2; these bounds times the weight
// decrease in r. `depth` is d / sqrt(eps1).
template <class S>
S cutoff(std::int32_t count, S tolerance, Order order, S depth) {
  using std::log, std::sqrt;
  const S base = log(S(count) / tolerance);
  S result = base;
  for (int i = 0; i < 3; ++i) {  // the factor grows like a power of the logarithm: converges quickly
    const S r2 = depth * depth + S(1.1) * result + 1, r = sqrt(r2);
    S factor = (r + depth + 1) / (depth + 1);
    if (order >= Order::kGradient) factor += (8 * r2 + 2) / (depth + 2);
    if (order >= Order::kHessian) factor += (64 * r2 * r + 16 * r) / (depth + 3);
    result = base + log(factor);
  }
  return result > S(0) ? result : S(0);  // the nearest point always counts
}

// Sums over all lanes, which the derivatives need.
template <class T, class S>
ABUT_INLINE void add_lanes(const DistanceSums<T>& from, DistanceSums<S>& to) {
  const T* const in = reinterpret_cast<const T*>(&from);
  S* const out = reinterpret_cast<S*>(&to);
  static_assert(sizeof(from) / sizeof(T) == sizeof(to) / sizeof(S));
  for (std::size_t k = 0; k < sizeof(from) / sizeof(T); ++k) out[k] = simd::sum(in[k]);
}

// Sums over the blocks within the cutoff of p. Weights are relative to that of the reference point, which is
// replaced once by the nearest point if the first one is so much farther away that a weight could overflow.
template <int kOrder, class T, class S>
ABUT_INLINE void near_sums(const PointBlocksView& blocks, const S* p, S eps1, S cut, Nearby<S>& nearby,
                           DistanceSums<S>& sums) {
  for (const bool nearest : {false, true}) {
    const Frame<S> frame(p, nearby, 1 / eps1);
    const S limit2 = (nearby.distance2 + eps1 * cut) * S(1 + 1e-14);
    S reach2 = limit2;
    DistanceSums<T> lanes;
    T heaviest{};
    visit_near<T, S>(blocks, p, reach2, [&](std::int32_t block) ABUT_INLINE_LAMBDA {
      const double* const numbers = blocks.numbers + std::ptrdiff_t(block) * kBlockNumbers;
      for (int i = 0; i < kBlockPoints; i += simd::kLanes<T>) {
        Seen<T> seen;
        see(numbers, i, frame, seen);
        simd::greatest(seen.exponent, heaviest, heaviest);
        add<kOrder>(seen, lanes);
      }
    });
    if (nearest || !(simd::greatest_lane(heaviest) > S(kTooHeavy))) {
      add_lanes(lanes, sums);
      return;
    }
    find_nearest<T>(blocks, p, nearby);
  }
}

// Computes value and derivatives from sums about the reference point; g0 is the height of p above its plane.
template <class S>
SoftDistance<S> from_sums(const DistanceSums<S>& sums, S g0, S eps1, Order order) {
  SoftDistance<S> result{g0 + sums.g / sums.w, Vec3<S>::Zero(), Mat3<S>::Zero(), Status::kOk};
  if (order == Order::kValue) return result;
  const S value = sums.g / sums.w, alpha = 2 / eps1;  // minus g0, like all g here
  const auto vector = [&](const S* v) -> Vec3<S> { return Vec3<S>(v[0], v[1], v[2]) / sums.w; };
  const Vec3<S> u = vector(sums.u), gu = vector(sums.gu);
  result.gradient = vector(sums.n) + alpha * (gu - value * u);
  if (order == Order::kGradient) return result;
  const auto symmetric = [&](const S* m) {
    Mat3<S> M;
    M << m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5];
    return Mat3<S>(M / sums.w);
  };
  Mat3<S> un;
  un << sums.un[0], sums.un[1], sums.un[2], sums.un[3], sums.un[4], sums.un[5], sums.un[6], sums.un[7],
      sums.un[8];
  const Mat3<S> an = alpha * (un / sums.w - u * vector(sums.n).transpose());
  const Mat3<S> cross = gu * u.transpose();
  result.hessian = an + an.transpose() +
                   alpha * alpha *
                       (symmetric(sums.guu) - value * symmetric(sums.uu) - cross - cross.transpose() +
                        2 * value * u * u.transpose());
  return result;
}

template <class S>
SoftDistance<S> no_distance() {
  const S nan = std::numeric_limits<S>::quiet_NaN();
  return {nan, Vec3<S>::Constant(nan), Mat3<S>::Constant(nan), Status::kInvalidInput};
}

template <class S>
SoftDistance<S> if_finite(const SoftDistance<S>& result) {
  return std::isfinite(result.value) && result.gradient.allFinite() && result.hessian.allFinite()
             ? result
             : no_distance<S>();
}

// Squared distances (m^2). kEveryPoint2 exceeds that of every real point and is less than that of absent
// ones; this holds for points p up to kFarthest2.
inline constexpr double kEveryPoint2 = 1e190;
inline constexpr double kFarthest2 = 1e180;

// Whether squared distances (m^2, of a near point) are accurate enough to identify near points: their
// rounding changes no weight by more than a relative 1e-3.
inline bool squares_tell(double distance2, double eps1) {
  return distance2 <= 0x1p40 * eps1 && distance2 <= kFarthest2;
}

// Index of the point to which no other one is nearer from p, found by differences of squared distances,
// 2 u . q - u . u, with u from one point to the other and q from the first one to p.
template <class S>
std::int32_t foremost(const asset::PointsView& points, const Vec3<S>& p_Q) {
  std::int32_t best = 0;
  Vec3<S> x0 = position<S>(points, 0), q = p_Q - x0;
  for (std::int32_t i = 1; i < points.point_count; ++i) {
    const Vec3<S> x = position<S>(points, i), u = x - x0;
    if (!(2 * u.dot(q) - u.dot(u) > S(0))) continue;
    best = i;
    x0 = x;
    q = p_Q - x0;
  }
  return best;
}

// The soft distance where squared distances are too inaccurate: far away, or for a tiny eps1. Sums over every
// point. The reference is the foremost point; relative to it no weight exceeds 1.
template <class S>
SoftDistance<S> distance_by_differences(const asset::PointsView& points, const Vec3<S>& p_Q, S eps1,
                                        Order order) {
  using std::exp;
  const std::int32_t first = foremost<S>(points, p_Q);
  const Vec3<S> x0 = position<S>(points, first), n0 = normal<S>(points, first), q = p_Q - x0;
  const auto lead = [&](const Vec3<S>& u) { return 2 * u.dot(q) - u.dot(u); };
  const S g0 = n0.dot(q);
  DistanceSums<S> sums;
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const Vec3<S> u = position<S>(points, i) - x0, n = normal<S>(points, i);
    const S exponent = std::min(lead(u) / eps1, S(0)), weight = exp(exponent);
    if (!(weight > S(0))) continue;
    add<2>(Seen<S>{{u[0], u[1], u[2]}, {n[0], n[1], n[2]}, exponent, weight, n.dot(q - u) - g0, S(0)}, sums);
  }
  return if_finite(from_sums(sums, g0, eps1, order));
}

}  // namespace internal

// Value and derivatives of `soft_distance_dense` to a tolerance: only points within the cutoff of p_Q are
// summed. It works lane by lane and is the reference for the version for double below. Also returns
// kInvalidInput where a requested number would overflow.
template <class S>
SoftDistance<S> soft_distance_scalar(const asset::PointsView& points, const Vec3<S>& p_Q, S eps1,
                                     Order order = Order::kHessian, S tolerance = S(kTolerance)) {
  using std::sqrt;
  if (!p_Q.allFinite() || !usable_smoothing(static_cast<double>(eps1)) || !(tolerance > S(0)) ||
      points.blocks.block_count <= 0)
    return internal::no_distance<S>();
  internal::Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
  internal::descend<S>(points.blocks, p_Q.data(), nearby);
  if (!internal::squares_tell(static_cast<double>(nearby.distance2), static_cast<double>(eps1)))
    return internal::distance_by_differences<S>(points, p_Q, eps1, order);
  const S cut = internal::cutoff(points.point_count, tolerance, order, sqrt(nearby.distance2 / eps1));
  internal::DistanceSums<S> sums;
  internal::near_sums<2, S>(points.blocks, p_Q.data(), eps1, cut, nearby, sums);
  S g0(0);
  for (int k = 0; k < 3; ++k) g0 += nearby.n[k] * (p_Q[k] - nearby.x[k]);
  return internal::if_finite(internal::from_sums(sums, g0, eps1, order));
}

// The same in double, four points at a time; bit-identical on every x86 machine.
SoftDistance<double> soft_distance(const asset::PointsView& points, const Vec3<double>& p_Q, double eps1,
                                   Order order = Order::kHessian, double tolerance = kTolerance);

// Soft distances of many points: results[i] answers p_Q[i], bit-identical for any number of threads (0: one
// per core) on machines with the same instruction set. At tolerances of 1e-7 or more, neighbours are summed
// together, with fused multiply-adds where available. A point that is not finite gets NaN and the status
// kInvalidInput. Throws InvalidInput unless eps1 and the tolerance are positive, the cloud is not empty and
// the spans have equal lengths.
void soft_distances(const asset::PointsView& points, std::span<const Vec3<double>> p_Q, double eps1,
                    Order order, std::span<SoftDistance<double>> results, double tolerance = kTolerance,
                    int threads = 0);

}  // namespace abut::ssdf
