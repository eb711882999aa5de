#include "runtime/contact/soft_minimum/kernel.h"

namespace abut::contact {

namespace {

using internal::ForceSums;
using internal::Nearby;
using internal::Side;
using simd::Four;
using ssdf::Order;

// Inner loops for four points at a time.
ABUT_CLONES
bool all_above_by_fours(const Side<double>& side, const double* p, double radius,
                        const internal::Bound<double>& bound) {
  return internal::all_above<Four, double>(side, p, radius, bound);
}

ABUT_CLONES
void depth_by_fours(const Side<double>& side, const double* p, double cut, internal::Depth<double>& depth) {
  internal::depth_at<Four, double>(side, p, cut, depth);
}

ABUT_CLONES
void nearest_by_fours(const Side<double>& side, const double* p, bool certain, Nearby<double>& nearby) {
  ssdf::internal::descend<Four>(*side.field, p, nearby);
  if (certain) ssdf::internal::find_nearest<Four>(*side.field, p, nearby);
}

ABUT_CLONES
void forces_by_fours(const Side<double>& side, const double* p, const double* v,
                     const internal::Reach<double>& reach, const Nearby<double>& nearby,
                     const SoftMinimumParameters<double>& with, ForceSums<double>& sums, double& heaviest) {
  internal::force_sums<0, Four, double>(side, p, v, reach, nearby, with, sums, heaviest);
}
ABUT_CLONES
void slopes_by_fours(const Side<double>& side, const double* p, const double* v,
                     const internal::Reach<double>& reach, const Nearby<double>& nearby,
                     const SoftMinimumParameters<double>& with, ForceSums<double>& sums, double& heaviest) {
  internal::force_sums<1, Four, double>(side, p, v, reach, nearby, with, sums, heaviest);
}
ABUT_CLONES
void bends_by_fours(const Side<double>& side, const double* p, const double* v,
                    const internal::Reach<double>& reach, const Nearby<double>& nearby,
                    const SoftMinimumParameters<double>& with, ForceSums<double>& sums, double& heaviest) {
  internal::force_sums<2, Four, double>(side, p, v, reach, nearby, with, sums, heaviest);
}

struct FourOps {
  static bool all_above(const Side<double>& side, const double* p, double radius,
                        const internal::Bound<double>& bound) {
    return all_above_by_fours(side, p, radius, bound);
  }
  static void depth_at(const Side<double>& side, const double* p, double cut,
                       internal::Depth<double>& depth) {
    depth_by_fours(side, p, cut, depth);
  }
  static void find_nearest(const Side<double>& side, const double* p, bool certain, Nearby<double>& nearby) {
    nearest_by_fours(side, p, certain, nearby);
  }
  static void force_sums(Order order, const Side<double>& side, const double* p, const double* v,
                         const internal::Reach<double>& reach, const Nearby<double>& nearby,
                         const SoftMinimumParameters<double>& with, ForceSums<double>& sums,
                         double& heaviest) {
    (order == Order::kValue      ? forces_by_fours
     : order == Order::kGradient ? slopes_by_fours
                                 : bends_by_fours)(side, p, v, reach, nearby, with, sums, heaviest);
  }
};

}  // namespace

void soft_minimum(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB, const Vec6<double>& V_AB_B,
                  const SoftMinimumParameters<double>& parameters, Order order, SoftMinimum<double>& result) {
  internal::SoftMinimumKernel<double, FourOps>(A, B, X_AB, V_AB_B, parameters, order).solve(result);
}

void separation(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB,
                const SoftMinimumParameters<double>& parameters,
                std::vector<SeparationPoint<double>>& points) {
  internal::SoftMinimumKernel<double, FourOps>(A, B, X_AB, Vec6<double>::Zero(), parameters, Order::kGradient)
      .separation(points);
}

}  // namespace abut::contact
