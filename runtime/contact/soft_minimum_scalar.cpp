#include "runtime/contact/soft_minimum_kernel.h"

namespace abut::contact {

using ssdf::Order;

template <class S>
void soft_minimum_scalar(const asset::PointsView& A, const asset::PointsView& B, const Pose<S>& X_AB,
                         const Vec6<S>& V_AB_B, const SoftMinimumParameters<S>& parameters, Order order,
                         SoftMinimum<S>& result) {
  internal::SoftMinimumKernel<S, internal::ScalarOps<S>>(A, B, X_AB, V_AB_B, parameters, order).solve(result);
}

template void soft_minimum_scalar(const asset::PointsView&, const asset::PointsView&, const Pose<double>&,
                                  const Vec6<double>&, const SoftMinimumParameters<double>&, Order,
                                  SoftMinimum<double>&);
template void soft_minimum_scalar(const asset::PointsView&, const asset::PointsView&,
                                  const Pose<long double>&, const Vec6<long double>&,
                                  const SoftMinimumParameters<long double>&, Order,
                                  SoftMinimum<long double>&);

}  // namespace abut::contact
