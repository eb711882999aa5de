#include "runtime/contact/soft_minimum/kernel.h"

namespace abut::contact {

// The reference in double, one point at a time.
template <>
void soft_minimum_scalar(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB,
                         const Vec6<double>& V_AB_B, const SoftMinimumParameters<double>& parameters,
                         ssdf::Order order, SoftMinimum<double>& result) {
  internal::SoftMinimumKernel<double, internal::ScalarOps<double>>(A, B, X_AB, V_AB_B, parameters, order)
      .solve(result);
}

template <>
void separation_scalar(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB,
                       const SoftMinimumParameters<double>& parameters,
                       std::vector<SeparationPoint<double>>& points) {
  internal::SoftMinimumKernel<double, internal::ScalarOps<double>>(A, B, X_AB, Vec6<double>::Zero(),
                                                                   parameters, ssdf::Order::kGradient)
      .separation(points);
}

}  // namespace abut::contact
