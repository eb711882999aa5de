#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/ssdf/field.h"

namespace abut::ssdf::internal {

// Cutoffs for a batch: the logarithms for points near the surface are computed only once.
struct Cutoffs {
  static constexpr double kNear = 4;  // depth in units of sqrt(eps1)

  Cutoffs(const asset::PointsView& points, double eps1, Order order, double tolerance)
      : count(points.point_count),
        wanted(order),
        relative(tolerance),
        inverse_eps1(1 / eps1),
        near(cutoff(count, relative, wanted, kNear)) {
    near = std::max(near, cutoff(count, relative, wanted, 0.0));
  }

  double operator()(double distance2) const {
    const double depth2 = distance2 * inverse_eps1;
    return depth2 <= kNear * kNear ? near : cutoff(count, relative, wanted, std::sqrt(depth2));
  }

  std::int32_t count;
  Order wanted;
  double relative, inverse_eps1, near;
};

// The soft distance at one point, which processes four points of the cloud at a time.
SoftDistance<double> distance_by_fours(const asset::PointsView& points, const Vec3<double>& p_Q, double eps1,
                                       Order order, const Cutoffs& cutoffs);

}  // namespace abut::ssdf::internal
