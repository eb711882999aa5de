#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/samples.h"
#include "runtime/derivative/witness_derivative.h"

// Zeroth-order Gaussian smoothing: the slope of the query's results over normally distributed poses. Needs
// nothing but the query. [Montaut2022, Eq. 6]
namespace abut::derivative {

// How the slope is computed: kind of samples and control variate.
enum class ZerothOrderForm {
  kLeastSquares,    // whitened samples, control variate; keeps p2 - p1 = d n to first order
  kControlVariate,  // drawn samples, the result at X_AB as control variate
  kPublished,       // Eq. 6 as printed: drawn samples, without control variate
};

// Settings of the estimator `zeroth_order`.
struct ZerothOrderConfig {
  int samples = 50;        // M, >= 7
  double angle = 0.2;      // standard deviation of the rotations, rad, > 0
  double length = 0.04;    // that of the translations, in units of the pair's size, > 0
  std::uint64_t seed = 1;  // of the samples, which are drawn once per estimator
  ZerothOrderForm form = ZerothOrderForm::kLeastSquares;  // how the slope is computed
};

// Computes the derivative of `query(X_AB) -> witness::Witness<S>` around X_AB, where its result is `centre`,
// from the queries at q_j = X_AB exp(diag(angle, length) z_j) with the samples z_j (angle in rad, length in
// m), which must be whitened for kLeastSquares. For x each of p1, p2 and n:
//   dx = (1/M) sum (x(q_j) - x(X_AB)) z_j' / scale,   scale = diag(angle, length)
// The signed distance gets its exact gradient. With kLeastSquares dn is then made orthogonal to n, and the
// residual of p2 - p1 = d n to first order is taken from both points in equal parts. A query with
// kInvalidInput invalidates the derivative; the status is kNotConverged if that of any query is, else that of
// `centre`.
// Differs from [Montaut2022] except for kPublished: control variate, whitened samples (least squares).
// Separate scales for rotation and translation in every form.
template <class S, class Query>
WitnessDerivative<S> zeroth_order(const witness::Witness<S>& centre, const Pose<S>& X_AB, S angle, S length,
                                  std::span<const Vec6<S>> samples, Query&& query,
                                  ZerothOrderForm form = ZerothOrderForm::kLeastSquares) {
  if (centre.status == Status::kInvalidInput) return detail::invalid_derivative<S>();
  WitnessDerivative<S> result;
  result.clamped_count = 0;
  result.clamped_A.fill(Vec3<S>::Zero());
  result.status = centre.status;
  witness::Witness<S> from = centre;
  if (form == ZerothOrderForm::kPublished) from.p1 = from.p2 = from.n = Vec3<S>::Zero();
  Mat36<S> dp1 = Mat36<S>::Zero(), dp2 = Mat36<S>::Zero(), dn = Mat36<S>::Zero();
  Vec6<S> scale;
  scale << Vec3<S>::Constant(angle), Vec3<S>::Constant(length);
  for (const Vec6<S>& z : samples) {
    const witness::Witness<S> w = query(X_AB * exp<S>(scale.cwiseProduct(z)));
    if (w.status == Status::kInvalidInput) return detail::invalid_derivative<S>();
    if (w.status == Status::kNotConverged) result.status = w.status;
    dp1 += (w.p1 - from.p1) * z.transpose();
    dp2 += (w.p2 - from.p2) * z.transpose();
    dn += (w.n - from.n) * z.transpose();
  }
  const Vec6<S> over = (scale * static_cast<S>(samples.size())).cwiseInverse();
  result.dd_dxi_B = detail::distance_gradient(centre, X_AB);
  result.dn_A_dxi_B = dn * over.asDiagonal();
  result.dp1_A_dxi_B = dp1 * over.asDiagonal();
  result.dp2_A_dxi_B = dp2 * over.asDiagonal();
  if (form == ZerothOrderForm::kLeastSquares) detail::restore_witness_equation(centre, result);
  return detail::finite(result) ? result : detail::invalid_derivative<S>();
}

// Settings of the estimator `zeroth_order`: name, unit, range and meaning of each.
std::span<const Setting<ZerothOrderConfig>> zeroth_order_settings();
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
ZerothOrderConfig zeroth_order_config(const SettingValues& values);
// Makes the estimator `zeroth_order` of the table in estimator.h. Throws InvalidInput for settings out of
// range.
std::unique_ptr<Estimator> make_zeroth_order_estimator(const ZerothOrderConfig& config = {});

}  // namespace abut::derivative
