#include "runtime/ssdf/field.h"

#include <cmath>

#include "runtime/ssdf/cutoffs.h"

namespace abut::ssdf {

namespace {

using internal::DistanceSums;
using internal::Nearby;
using simd::Four;

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

}  // namespace

namespace internal {

SoftDistance<double> distance_by_fours(const asset::PointsView& points, const Vec3<double>& p_Q, double eps1,
                                       Order order, const Cutoffs& cutoffs) {
  const asset::PointBlocksView& blocks = points.blocks;
  Nearby<double> nearby{{}, {}, std::numeric_limits<double>::max()};
  descend_by_fours(blocks, p_Q.data(), nearby);
  if (!squares_tell(nearby.distance2, eps1)) return distance_by_differences(points, p_Q, eps1, order);
  DistanceSums<double> sums;
  sums_by_fours(blocks, p_Q.data(), eps1, cutoffs(nearby.distance2), order, nearby, sums);
  double g0 = 0;
  for (int k = 0; k < 3; ++k) g0 += nearby.n[k] * (p_Q[k] - nearby.x[k]);
  return internal::if_finite(internal::from_sums(sums, g0, eps1, order));
}

}  // namespace internal

SoftDistance<double> soft_distance(const asset::PointsView& points, const Vec3<double>& p_Q, double eps1,
                                   Order order, double tolerance) {
  if (!p_Q.allFinite() || !usable_smoothing(eps1) || !(tolerance > 0) || points.blocks.block_count <= 0)
    return internal::no_distance<double>();
  return internal::distance_by_fours(points, p_Q, eps1, order,
                                     internal::Cutoffs(points, eps1, order, tolerance));
}

}  // namespace abut::ssdf
