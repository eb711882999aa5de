#pragma once

#include <memory>
#include <span>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/witness_derivative.h"

// Central finite differences of witness points: the estimator that needs nothing but the query itself.
namespace abut::derivative {

// Steps h of the central differences X_AB exp(+-h e_k).
struct FiniteDifferenceConfig {
  double angle = 1e-6;   // rad, > 0
  double length = 1e-6;  // in units of the pair's size (sum of `geometry_size` of both bodies), > 0
};

// Computes the derivative of `query(X_AB) -> witness::Witness<S>` at X_AB, where its result is `centre`, from
// M = 12 queries at X_AB exp(+-h e_k), h = angle (rad) for k < 3 and length (m) for k >= 3. The gradient of
// the distance is the exact one. n'dn = 0 and dp2 - dp1 = dd n + d dn, which differences satisfy only to h^2,
// and not at all across a kink, are restored.
// A query with kInvalidInput invalidates the derivative; the status is kNotConverged if that of any query is,
// else that of `centre`. On polytopes this differentiates the facets: see gumbel.h for what that misses.
template <class S, class Query>
WitnessDerivative<S> central_differences(const witness::Witness<S>& centre, const Pose<S>& X_AB, S angle,
                                         S length, Query&& query) {
  WitnessDerivative<S> result;
  result.clamped_count = 0;
  result.clamped_A.fill(Vec3<S>::Zero());
  result.status = centre.status;
  for (int k = 0; k < 6; ++k) {
    const S h = k < 3 ? angle : length;
    Vec6<S> xi = Vec6<S>::Zero();
    xi[k] = h;
    const witness::Witness<S> plus = query(X_AB * exp(xi));
    xi[k] = -h;
    const witness::Witness<S> minus = query(X_AB * exp(xi));
    for (const Status status : {plus.status, minus.status}) {
      if (status == Status::kInvalidInput) return detail::invalid_derivative<S>();
      if (status == Status::kNotConverged) result.status = status;
    }
    result.dp1_A_dxi_B.col(k) = (plus.p1 - minus.p1) / (2 * h);
    result.dp2_A_dxi_B.col(k) = (plus.p2 - minus.p2) / (2 * h);
    result.dn_A_dxi_B.col(k) = (plus.n - minus.n) / (2 * h);
  }
  result.dd_dxi_B = detail::distance_gradient(centre, X_AB);
  detail::restore_witness_equation(centre, result);
  return detail::finite(result) ? result : detail::invalid_derivative<S>();
}

// Settings of the estimator `finite_difference`: name, unit, range and meaning of each.
std::span<const Setting<FiniteDifferenceConfig>> finite_difference_settings();
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
FiniteDifferenceConfig finite_difference_config(const SettingValues& values);
// Makes the estimator `finite_difference` of the table in estimator.h. Throws InvalidInput for settings out
// of range.
std::unique_ptr<Estimator> make_finite_difference_estimator(const FiniteDifferenceConfig& config = {});

}  // namespace abut::derivative
