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
  const auto flat = [](const SurfaceView& surface, const SurfacePoint& at) {
    return distance::flat_basis(distance::internal::triangle_of<double>(surface, at.triangle), at.weight);
  };
  return feature_derivative(found.witness, X_AB, flat(A, at_A), flat(B, at_B), hessian);
}

}  // namespace internal

derivative::WitnessDerivative<double> surface_derivative(const SurfaceView& A, const SurfaceView& B,
                                                         const Pose<double>& X_AB,
                                                         const SurfaceWitness& found, Mat6<double>* hessian) {
  const witness::Witness<double>& w = found.witness;
  if (found.triangle_A < 0 || w.status == Status::kInvalidInput)
    return derivative::detail::invalid_derivative<double>();
  if (w.distance < 0) return depth_derivative(A, B, X_AB, found, hessian);
  const auto [at_A, at_B] = internal::carriers(A, B, X_AB, found);
  derivative::WitnessDerivative<double> result =
      feature_derivative(w, X_AB, flat_at(A, at_A, w.n), flat_at(B, at_B, X_AB.R.transpose() * w.n), hessian);
  if (result.status == Status::kInvalidInput) return result;
  if (slides(A, B, X_AB, at_A, at_B, w.n)) {
    result.clamped_count = std::max(result.clamped_count, 1);
    result.status = derivative::detail::status_of_derivative(w.status, result.clamped_count);
  }
  return result;
}

}  // namespace abut::proximity
