#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/core/settings.h"
#include "runtime/derivative/estimator.h"

// The estimator of DiffCollision: each witness point is represented by the weighted mean of points around it
// on its body, weighted by how near they are to the partner's witness point; the derivative is that of two
// such means that follow each other. [Chen2025]
//
//   rho_k = |y_k - q|,  u_k = (y_k - q) / rho_k,  w = softmax(-rho / t),  p = sum w_k y_k,  m = sum w_k nu_k
//   dp1 = F_A dp2,  dp2 = V(p2) + F_B (dp1 - V(p1))
//
// with samples y_k and normals nu_k on the body, the partner's witness point q, F = dp/dq, and V(x) the
// motion of the point fixed to B at x. A smooth body has F = H (d I + H)^-1 on the tangent plane, with
// curvature H; this exact F is used for primitives. Differs from [Chen2025]: bodies are moved rigidly about
// their witness points, not about the means; p1 stays in A's tangent plane and p2 in B's, so that dd is
// exact; and dp1, dp2 and dn, which are independent there, are corrected to satisfy dp2 - dp1 = dd n + d dn
// by the smallest change, a change of n being weighted by the pair's size.
namespace abut::derivative {

// Settings of the estimator `distance_weighted`.
struct DistanceWeightedConfig {
  int samples = 16;  // number for each body, >= 3
  // Greatest distance of a sample from the witness point, in units of the diagonal of the hull's bounding
  // box. It is raised until four times `samples` of the 1,024 points from which samples are drawn are
  // expected within it. Normals of samples are within 120 degrees of the witness normal. If fewer than
  // samples / 4 points, or fewer than 2, qualify, samples are drawn from the nearest `samples` points
  // instead, whatever their distance and normals.
  double reach = 1;
  double eps = 0.5;        // t over the standard deviation of rho: independent of scale
  double noise = 0;        // m; not 0: published t = sqrt(noise deviation), where noise = 1 m; replaces eps
  std::uint64_t seed = 1;  // of the samples
};
// Name, unit, range and meaning of each setting.
std::span<const Setting<DistanceWeightedConfig>> distance_weighted_settings();
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
DistanceWeightedConfig distance_weighted_config(const SettingValues& values);

// A point of a body's surface with its normal.
struct SurfacePoint {
  Vec3<double> point, normal;  // m; outward, unit or zero
};

// Derivatives of a body's witness point p and normal m with respect to the partner's witness point q while
// the body is at rest.
struct Slip {
  Mat3<double> F = Mat3<double>::Zero();  // dp/dq
  Mat3<double> N = Mat3<double>::Zero();  // dm/dq, 1/m
  double normal = 1;                      // |m|
};

// Computes the slip of the weighted means at the temperature given by `config`; zero if all samples are
// equally far from q.
Slip weighted_slip(std::span<const SurfacePoint> samples, const Vec3<double>& q,
                   const DistanceWeightedConfig& config);

// The estimator `distance_weighted`, with an extra call for reaches that depend on the task.
class DistanceWeightedEstimator : public Estimator {
 public:
  // The same with samples within these distances (m) of the witness points on A and on B, in place of
  // `reach`. As published, they are twice the distance from a witness point to its target.
  virtual PairDerivative within(const body::Pair& pair, double reach_A, double reach_B) = 0;
};

// Makes the estimator. Throws InvalidInput for settings out of range.
std::unique_ptr<DistanceWeightedEstimator> make_distance_weighted_estimator(
    const DistanceWeightedConfig& config = {});

}  // namespace abut::derivative
