#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/support.h"

// Exact derivatives of the witness points of polytopes: a vertex has zero curvature, an edge is flat in one
// direction and a face in two.
namespace abut::derivative {

namespace detail {

// Sine of an angle that counts as zero, about the rounding of vertices to single precision.
template <class S>
inline constexpr S kStraight = S(5e-7);

// Adds to the flat directions at a point of a hull those in which its surface goes straight on. The point is
// the vertex v, or lies on the line from v along result.flat[0] if there is one. The edges from v that are in
// the tangent plane, and that line, span the cone of the hull's face from the point; the lines within the
// cone are flat. A diagonal of a face has edges on both of its sides.
template <class S>
void add_straight(const asset::ConvexView& hull, std::int32_t v, const Mat32<S>& T,
                  TangentCurvature<S>& result) {
  constexpr S kHalfTurn = std::numbers::pi_v<S>;
  const Vec3<S> n = T.col(0).cross(T.col(1)), at = witness::core_vertex<S>(hull, v);
  Vec2<S> u = result.flat[0];         // 0: no direction yet
  bool line = result.flat_count > 0;  // whether the cone contains u and -u
  S low = 0, high = 0;                // rad: angles from u to the other directions
  for (std::int32_t k = hull.adjacency_offsets[v]; k < hull.adjacency_offsets[v + 1]; ++k) {
    const Vec3<S> edge = witness::core_vertex<S>(hull, hull.adjacency[k]) - at;
    const S height = n.dot(edge);
    if (!(height * height <= kStraight<S> * kStraight<S> * edge.squaredNorm())) continue;
    const Vec2<S> way = T.transpose() * edge;
    if (u.isZero(0)) {
      u = way.normalized();
      continue;
    }
    const S angle = std::atan2(u.x() * way.y() - u.y() * way.x(), u.dot(way));
    if (std::abs(angle) >= kHalfTurn - kStraight<S>)
      line = true;
    else
      low = std::min(low, angle), high = std::max(high, angle);
  }
  const bool plane =
      line ? low < -kStraight<S> && high > kStraight<S> : high - low > kHalfTurn + kStraight<S>;
  const bool half =
      !line && !plane && high - low >= kHalfTurn - kStraight<S>;  // of the plane, from `high` on
  if (half) u = Eigen::Rotation2D<S>(high) * u;
  result.flat_count = plane ? 2 : line || half ? 1 : 0;
  if (result.flat_count > 0) result.flat[0] = u;
  if (plane) result.flat[1] = {-u.y(), u.x()};
}

}  // namespace detail

// Returns the curvature of a hull at a witness point carried by the vertices `simplex` (1 to 3, repetitions
// allowed), in a tangent basis T of the normal there. Vertices that lie within a face or on a straight edge,
// and edges and diagonals within a face, count as that face or edge.
template <class S>
TangentCurvature<S> polytope_curvature(const asset::ConvexView& hull, std::span<const std::int32_t> simplex,
                                       const Mat32<S>& T) {
  TangentCurvature<S> result;
  const Vec3<S> first = witness::core_vertex<S>(hull, simplex[0]);
  for (const std::int32_t v : simplex.subspan(1)) {
    Vec2<S> along = T.transpose() * (witness::core_vertex<S>(hull, v) - first);
    const S least = 64 * std::numeric_limits<S>::epsilon() * along.norm();
    if (result.flat_count == 1) along -= result.flat[0] * result.flat[0].dot(along);
    // A third vertex collinear with the others adds no direction.
    const S length = along.norm();
    if (v == simplex[0] || result.flat_count == 2 || !(length > least)) continue;
    if (result.flat_count == 1 && v == simplex[1]) continue;
    result.flat[result.flat_count++] = along / length;
  }
  if (result.flat_count < 2) detail::add_straight(hull, simplex[0], T, result);
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
