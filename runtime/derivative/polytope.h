#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/support.h"

// Exact derivatives of the witness points of polytopes: a vertex has zero curvature, an edge is flat in one
// direction and a face in two.
namespace abut::derivative {

// Returns the curvature of a hull at a witness point carried by the vertices `simplex` (1 to 3, repetitions
// allowed), in a tangent basis T of the normal there.
template <class S>
TangentCurvature<S> polytope_curvature(const asset::ConvexView& hull, std::span<const std::int32_t> simplex,
                                       const Mat32<S>& T) {
  TangentCurvature<S> result;
  const Vec3<S> first = witness::core_vertex<S>(hull, simplex[0]);
  for (const std::int32_t v : simplex.subspan(1)) {
    Vec2<S> along = T.transpose() * (witness::core_vertex<S>(hull, v) - first);
    if (result.flat_count == 1) along -= result.flat[0] * result.flat[0].dot(along);
    // A third vertex collinear with the others adds no direction.
    const S length = along.norm();
    if (v == simplex[0] || result.flat_count == 2 || !(length > 0)) continue;
    if (result.flat_count == 1 && v == simplex[1]) continue;
    result.flat[result.flat_count++] = along / length;
  }
  return result;
}

// Computes the derivative of the witness points of two hulls from their witness (with the simplex that
// carries it): the derivative of the polytopes themselves, wherever one exists. Never throws, never
// allocates.
template <class S>
WitnessDerivative<S> polytope_derivative(const asset::ConvexView& A, const asset::ConvexView& B,
                                         const Pose<S>& X_AB, const witness::Witness<S>& witness, S size,
                                         const Clamp& clamp) {
  if (witness.status == Status::kInvalidInput || witness.simplex_size < 1)
    return detail::invalid_derivative<S>();
  const std::size_t corners = static_cast<std::size_t>(witness.simplex_size);
  const Mat32<S> T = tangent_basis(witness.n), T_B = X_AB.R.transpose() * T;
  return differentiate<S>(witness, X_AB, T, polytope_curvature<S>(A, std::span(witness.vertex_A, corners), T),
                          polytope_curvature<S>(B, std::span(witness.vertex_B, corners), T_B), size, clamp);
}

// Settings of the estimator `analytic`, which has only those of the clamp: name, unit, range and meaning of
// each.
std::span<const Setting<Clamp>> analytic_settings();
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
Clamp analytic_config(const SettingValues& values);
// Makes the estimator `analytic` of the table in estimator.h. Throws InvalidInput for settings out of range.
std::unique_ptr<Estimator> make_analytic_estimator(const Clamp& clamp = {});

}  // namespace abut::derivative
