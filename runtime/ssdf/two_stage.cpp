#include "runtime/ssdf/two_stage.h"

#include <limits>

namespace abut::ssdf {

namespace {

// In spacings. Beyond kDoubles the precision of double does not show which points are nearer. Extended
// precision does up to kFarthest: there u is off by some 3e-18 of the distance, and the value, where planes
// of different normals share it, by as much of the distance again: 3e-10 at kFarthest.
constexpr double kDoubles = 1e3, kFarthest = 1e8;

template <class S, int kOrder>
SoftDistance<S> at_origin(const internal::NearPoints<S>& near, const internal::Scratch<S, S>& scratch,
                          S spacing) {
  const S origin[3] = {S(0), S(0), S(0)};
  internal::Taylor<S, kOrder> phi;
  phi.clear();
  internal::two_stage<S, kOrder, S>(near, origin, std::numeric_limits<S>::infinity(), scratch, phi);
  SoftDistance<S> result{phi.value * spacing, Vec3<S>::Zero(), Mat3<S>::Zero(), Status::kOk};
  for (int k = 0; k < phi.kFirst; ++k) result.gradient[k] = phi.first[k];
  for (int m = 0; m < phi.kSecond; ++m) {
    const int k = internal::kSecondPlaces[m][0], l = internal::kSecondPlaces[m][1];
    result.hessian(k, l) = result.hessian(l, k) = phi.second[m] / spacing;
  }
  return internal::if_finite(result);
}

template <class S>
SoftDistance<double> rounded(const SoftDistance<S>& d) {
  return {double(d.value), d.gradient.template cast<double>(), d.hessian.template cast<double>(), d.status};
}

}  // namespace

template <class S>
SoftDistance<S> two_stage_distance(const asset::PointsView& points, const Vec3<S>& p_Q, Order order) {
  using std::sqrt;
  if (!p_Q.allFinite()) return internal::no_distance<S>();
  internal::Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
  internal::descend<S>(points.blocks, p_Q.data(), nearby);
  internal::find_nearest<S>(points.blocks, p_Q.data(), nearby);
  const S spacing = S(points.spacing), depth = sqrt(nearby.distance2) / spacing;
  if (!(depth <= S(kFarthest))) return internal::no_distance<S>();
  if constexpr (std::is_same_v<S, double>)
    if (depth > kDoubles)
      return rounded(two_stage_distance<long double>(points, p_Q.template cast<long double>(), order));
  thread_local internal::NearScratch<S> memory;  // kept from call to call: no allocation in the steady state
  const S range = internal::sight_range(depth), end = range * spacing, origin[3] = {S(0), S(0), S(0)};
  const int packs = internal::gather<S, S>(points.blocks, p_Q.data(), end * end, 1 / spacing, memory.packs);
  const auto near = internal::within<S>(origin, range * range, packs, memory);
  const auto scratch = internal::make_scratch<S>(near.count, memory);
  if (order == Order::kValue) return at_origin<S, 0>(near, scratch, spacing);
  if (order == Order::kGradient) return at_origin<S, 1>(near, scratch, spacing);
  return at_origin<S, 2>(near, scratch, spacing);
}

template SoftDistance<double> two_stage_distance(const asset::PointsView&, const Vec3<double>&, Order);
template SoftDistance<long double> two_stage_distance(const asset::PointsView&, const Vec3<long double>&,
                                                      Order);

}  // namespace abut::ssdf
