#pragma once

#include <cmath>
#include <limits>

#include "runtime/asset/asset.h"
#include "runtime/core/status.h"
#include "runtime/math/pose.h"

// The soft signed distance function of an oriented point cloud [Beker2025, Eqs. 8, 9].
namespace abut::ssdf {

// eps1 over the squared spacing of the points; the default everywhere: in accuracy and speed tests and in
// demonstrations. At this value the zero surface's offset from points on a sphere of radius R, eps1 / (2 R)
// outward, equals that of the centres of quads with corners on the sphere, spacing^2 / (4 R) inward: they
// cancel.
inline constexpr double kSmoothing = 0.5;

// The default eps1 of a point cloud, m^2.
inline double default_eps1(const asset::PointsView& points) {
  return kSmoothing * points.spacing * points.spacing;
}

// Value and derivatives of a function of a point.
template <class S>
struct SoftDistance {
  S value;           // m, negative inside
  Vec3<S> gradient;  // not unit
  Mat3<S> hessian;   // 1/m, symmetric
  Status status;     // kOk; kInvalidInput: every number is NaN
};

namespace internal {

template <class S>
Vec3<S> position(const asset::PointsView& points, std::int32_t i) {
  return {S(points.x[i]), S(points.y[i]), S(points.z[i])};
}

template <class S>
Vec3<S> normal(const asset::PointsView& points, std::int32_t i) {
  return {S(points.nx[i]), S(points.ny[i]), S(points.nz[i])};
}

}  // namespace internal

// The plain sum over all points: the reference for faster versions. p_Q (m) is in the frame of the points,
// and eps1 > 0 (m^2). With s_i = -|p - p_i|^2 / eps1, w = softmax(s), g_i = n_i . (p - p_i), pbar = sum w_i
// p_i and a_i = 2 / eps1 (p_i - pbar):
//
//   value = sum w_i g_i,   gradient = sum w_i (n_i + g_i a_i),
//   hessian = sum w_i (a_i n_i' + n_i a_i' + (g_i - value) a_i a_i').
template <class S>
SoftDistance<S> soft_distance_dense(const asset::PointsView& points, const Vec3<S>& p_Q, S eps1) {
  using std::exp;
  const S nan = std::numeric_limits<S>::quiet_NaN();
  SoftDistance<S> result{nan, Vec3<S>::Constant(nan), Mat3<S>::Constant(nan), Status::kInvalidInput};
  if (!p_Q.allFinite() || !(eps1 > S(0)) || points.point_count <= 0) return result;
  S nearest2 = std::numeric_limits<S>::infinity();
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const S distance2 = (p_Q - internal::position<S>(points, i)).squaredNorm();
    if (distance2 < nearest2) nearest2 = distance2;
  }
  // Positions relative to p_Q keep their precision far from the origin.
  S total(0), value(0);
  Vec3<S> mean = Vec3<S>::Zero();
  const auto weight = [&](const Vec3<S>& from) { return exp((nearest2 - from.squaredNorm()) / eps1); };
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const Vec3<S> from = p_Q - internal::position<S>(points, i);  // p - p_i
    const S w = weight(from);
    total += w;
    value += w * internal::normal<S>(points, i).dot(from);
    mean += w * from;
  }
  value /= total;
  mean /= total;
  Vec3<S> gradient = Vec3<S>::Zero();
  Mat3<S> hessian = Mat3<S>::Zero();
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const Vec3<S> from = p_Q - internal::position<S>(points, i), n = internal::normal<S>(points, i);
    const S w = weight(from) / total, g = n.dot(from);
    const Vec3<S> a = S(2) / eps1 * (mean - from);  // p_i - pbar = (p - pbar) - (p - p_i)
    gradient += w * (n + g * a);
    hessian += w * (a * n.transpose() + n * a.transpose() + (g - value) * a * a.transpose());
  }
  return {value, gradient, hessian, Status::kOk};
}

}  // namespace abut::ssdf
