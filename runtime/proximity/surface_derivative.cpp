#include <algorithm>
#include <limits>

#include "runtime/proximity/depth_derivative.h"
#include "runtime/proximity/surface_query.h"

namespace abut::proximity {

using asset::SurfaceView;

namespace internal {

namespace {

// The witness points on the surfaces; where these touch, snapped to the features from which n was derived.
std::pair<SurfacePoint, SurfacePoint> carriers(const SurfaceView& A, const SurfaceView& B,
                                               const Pose<double>& X_AB, const SurfaceWitness& found) {
  const SurfacePoint at_A{found.triangle_A, found.weight_A}, at_B{found.triangle_B, found.weight_B};
  if (found.witness.status != Status::kTouching) return {at_A, at_B};
  const double tolerance = touching_distance(A, B, X_AB);
  return {settled(A, at_A, tolerance), settled(B, at_B, tolerance)};
}

}  // namespace

derivative::WitnessDerivative<double> carrier_derivative(const SurfaceView& A, const SurfaceView& B,
                                                         const Pose<double>& X_AB,
                                                         const SurfaceWitness& found, Mat6<double>* hessian) {
  if (found.triangle_A < 0 || found.witness.status == Status::kInvalidInput)
    return derivative::detail::invalid_derivative<double>();
  const auto [at_A, at_B] = carriers(A, B, X_AB, found);
  return feature_derivative(
      found.witness, X_AB, flat_of(distance::internal::triangle_of<double>(A, at_A.triangle), at_A.weight),
      flat_of(distance::internal::triangle_of<double>(B, at_B.triangle), at_B.weight), hessian);
}

}  // namespace internal

derivative::WitnessDerivative<double> surface_derivative(const SurfaceView& A, const SurfaceView& B,
                                                         const Pose<double>& X_AB,
                                                         const SurfaceWitness& found, Mat6<double>* hessian) {
  derivative::WitnessDerivative<double> result = internal::carrier_derivative(A, B, X_AB, found, hessian);
  if (result.status == Status::kInvalidInput) return result;
  const witness::Witness<double>& w = found.witness;
  if (w.distance < 0) {
    const bool corner =
        feature_of(found.of_A ? found.weight_A : found.weight_B) >= distance::Feature::kVertex0;
    if (hessian != nullptr && !corner) hessian->setConstant(std::numeric_limits<double>::quiet_NaN());
    return depth_derivative(A, B, X_AB, found);
  }
  const auto [at_A, at_B] = internal::carriers(A, B, X_AB, found);
  if (slides(A, B, X_AB, at_A, at_B, w.n)) {
    result.clamped_count = std::max(result.clamped_count, 1);
    result.status = derivative::detail::status_of_derivative(w.status, result.clamped_count);
  }
  return result;
}

}  // namespace abut::proximity
