#include "runtime/proximity/blend.h"

#include <cmath>

namespace abut::proximity {
namespace {

constexpr double kFading = 15;       // in temperatures beyond the blended distance: from here on weights fade
constexpr double kCancelled = 1e-3;  // length of a mean normal that defines no direction

}  // namespace

Share fading_share(double beyond) {
  if (beyond >= kReach) return {0, 0, 0};
  const double e = std::exp(-beyond);
  if (beyond <= kFading) return {e, e, e};
  const double s = (beyond - kFading) / (kReach - kFading);
  const double fade = 1 - s * s * s * (10 + s * (6 * s - 15));
  const double fall = e * (fade + 30 * s * s * (1 - s) * (1 - s) / (kReach - kFading));
  return {e * fade, fall, fall};
}

Blend::Blend(double temperature) : temperature_(temperature) {
  mean_.p1 = mean_.p2 = mean_.n = Vec3<double>::Zero();
  slope_.clamped_count = 0;
  slope_.clamped_A.fill(Vec3<double>::Zero());
  slope_.dp1_A_dxi_B.setZero(), slope_.dp2_A_dxi_B.setZero(), slope_.dn_A_dxi_B.setZero();
  slope_.dd_dxi_B.setZero();
}

void Blend::add_mean(const Share& share, const witness::Witness<double>& term) {
  mean_.p1 += share.weight * term.p1, mean_.p2 += share.weight * term.p2, mean_.n += share.weight * term.n;
}

void Blend::add_slope(const Share& share, const witness::Witness<double>& term,
                      const derivative::WitnessDerivative<double>& derivative, bool kink) {
  if (derivative.status == Status::kInvalidInput) return;
  if (kink && share.fall > kWeighing) slope_.clamped_count = 1;
  const Row6<double> fall = share.fall * derivative.dd_dxi_B, per_length = fall / temperature_;
  const Vec3<double> p1 = term.p1 - mean_.p1, p2 = term.p2 - mean_.p2, n = term.n - mean_.n;
  slope_.dd_dxi_B += fall;
  slope_.dp1_A_dxi_B += share.weight * derivative.dp1_A_dxi_B - p1 * per_length;
  slope_.dp2_A_dxi_B += share.weight * derivative.dp2_A_dxi_B - p2 * per_length;
  slope_.dn_A_dxi_B += share.weight * derivative.dn_A_dxi_B - n * per_length;
  rise_ += share.rise;
  lean_p1_ += share.rise * p1, lean_p2_ += share.rise * p2, lean_n_ += share.rise * n;
}

void Blend::finish(double distance, Status status, derivative::SmoothedPair& result) {
  witness::Witness<double>& mean = result.smoothed;
  derivative::WitnessDerivative<double>& d = result.derivative;
  d = slope_;
  if (rise_ > 0) d.dd_dxi_B /= rise_;
  const Row6<double> per_length = d.dd_dxi_B / temperature_;
  d.dp1_A_dxi_B += lean_p1_ * per_length;
  d.dp2_A_dxi_B += lean_p2_ * per_length;
  d.dn_A_dxi_B += lean_n_ * per_length;
  mean.p1 = mean_.p1, mean.p2 = mean_.p2, mean.n = mean_.n;
  mean.distance = mean.lower_bound = mean.upper_bound = distance;
  mean.status = status;
  mean.simplex_size = 0;
  const double length = mean.n.norm();
  if (length < kCancelled) d.clamped_count = 1;
  if (length > 0) {
    mean.n /= length;
    d.dn_A_dxi_B /= length;
    d.dn_A_dxi_B -= mean.n * (mean.n.transpose() * d.dn_A_dxi_B).eval();
  }
  d.status = derivative::detail::status_of_derivative(status, d.clamped_count);
}

}  // namespace abut::proximity
