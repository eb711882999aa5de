#include "runtime/contact/soft_minimum/kernel.h"

namespace abut::contact {

// The reference in long double, one point at a time.
template <>
void soft_minimum_scalar(const SoftBody& A, const SoftBody& B, const Pose<long double>& X_AB,
                         const Vec6<long double>& V_AB_B,
                         const SoftMinimumParameters<long double>& parameters, ssdf::Order order,
                         SoftMinimum<long double>& result) {
  internal::SoftMinimumKernel<long double, internal::ScalarOps<long double>>(A, B, X_AB, V_AB_B, parameters,
                                                                             order)
      .solve(result);
}

template <>
void separation_scalar(const SoftBody& A, const SoftBody& B, const Pose<long double>& X_AB,
                       const SoftMinimumParameters<long double>& parameters,
                       std::vector<SeparationPoint<long double>>& points) {
  internal::SoftMinimumKernel<long double, internal::ScalarOps<long double>>(
      A, B, X_AB, Vec6<long double>::Zero(), parameters, ssdf::Order::kGradient)
      .separation(points);
}

}  // namespace abut::contact
