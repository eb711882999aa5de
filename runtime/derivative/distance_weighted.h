#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/core/settings.h"
#include "runtime/derivative/estimator.h"

// The estimate of DiffCollision: each witness point stands for a mean of points about it on its body,
// weighted by how near they are to the partner's witness point, and both move so that each is the mean that
// the other one makes. [Chen2025]
//
//   rho_k = |y_k - q|,  u_k = (y_k - q) / rho_k,  w = softmax(-rho / t),  p = sum w_k y_k,  m = sum w_k nu_k
//   dp1 = F_A dp2,  dp2 = V(p2) + F_B (dp1 - V(p1))
//
// with samples y_k and normals nu_k on the body, the partner's witness point q, F = dp/dq, and V(x) the
// motion of what is fixed to B at x. A smooth body has F = H (d I + H)^-1 on the tangent plane, of curvature
// H: that of a primitive is exact. Differs from [Chen2025]: bodies are moved rigidly about their witness
// points, not their means; p1 keeps to A's tangent plane and p2 to B's, so that dd is exact; and dp1, dp2 and
// dn, there independent, are brought to dp2 - dp1 = dd n + d dn by the least change, a turn counted as the
// pair's size.
namespace abut::derivative {

// Settings of the estimator `distance_weighted`.
struct DistanceWeightedConfig {
  int samples = 16;  // of each body, >= 3
  // Farthest sample from the witness point, in units of the diagonal of the hull's box. At least so far that
  // four times `samples` of the 1,024 points that samples are drawn from are expected within. Samples have
  // normals within 120 degrees of the witness's.
  double reach = 1;
  double eps = 0.5;        // t over the standard deviation of rho: free of scale
  double noise = 0;        // m; not 0: the published t = sqrt(noise deviation), noise 1 m, in place of eps
  std::uint64_t seed = 1;  // of the samples
};
// Name, unit, range and meaning of each.
std::span<const Setting<DistanceWeightedConfig>> distance_weighted_settings();
// The defaults with those given. Throws InvalidInput for one that is unknown or out of range.
DistanceWeightedConfig distance_weighted_config(const SettingValues& values);

// A point of a body's surface.
struct SurfacePoint {
  Vec3<double> point, normal;  // m; outward, unit or zero
};

// How a body's witness point p and normal m follow the partner's witness point q while the body rests.
struct Slip {
  Mat3<double> F = Mat3<double>::Zero();  // dp/dq
  Mat3<double> N = Mat3<double>::Zero();  // dm/dq, 1/m
  double normal = 1;                      // |m|
};

// That of the weighted means, by the temperature of `config`; none where all samples are as far from q.
Slip weighted_slip(std::span<const SurfacePoint> samples, const Vec3<double>& q,
                   const DistanceWeightedConfig& config);

// The estimator of the table, and the same with reaches that a task chooses.
class DistanceWeightedEstimator : public Estimator {
 public:
  // The same of samples within these reaches of the witness points on A and on B, m, in place of `reach`: as
  // published they are twice the way from a witness point to where a task wants it.
  virtual PairDerivative within(const body::Pair& pair, double reach_A, double reach_B) = 0;
};

// Throws InvalidInput for settings out of range.
std::unique_ptr<DistanceWeightedEstimator> make_distance_weighted_estimator(
    const DistanceWeightedConfig& config = {});

}  // namespace abut::derivative
