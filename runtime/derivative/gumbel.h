#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/rings.h"
#include "runtime/derivative/soft_moments.h"
#include "runtime/derivative/witness_derivative.h"

// First-order Gumbel estimate of a convex hull's curvature: the hull's support function is smoothed by a soft
// maximum over the vertices near the witness point, whose Hessian has a closed form. [Montaut2022, Eqs. 27
// and 28]
namespace abut::derivative {

// How the curvature of a hull is estimated.
struct GumbelConfig {
  // Depth of the neighbourhood, >= 1: it contains the vertices within this many edges of a vertex of the
  // witness simplex.
  int rings = 3;
  // Temperature of the soft maximum, > 0, in units of the mean depth of the neighbourhood's vertices below
  // its support plane, which is about rings^2 h^2 / (4 r) for spacing h and radius of curvature r. It is
  // therefore independent of scale, adapts to the local spacing and radius, and the reach of the smoothing,
  // sqrt(temperature r), always fits in the rings. `recommended_eps` gives the best value for a depth.
  double eps = 0.25;
};

// Returns the eps of least error of H for a ring depth. Measured on tessellated ellipsoids with semi-axes
// 1 : 0.3..1 : 0.3..1, 642 and 2,562 vertices, random rotations and directions; the error is in the Frobenius
// norm relative to the smooth ellipsoid's H, median and 95th percentile: rings 1: 10 and 18 %; rings 2: 3 and
// 7 %; rings 3: 2.5 and 6 %; rings 5: 3 and 6 % (over the wider reach H itself changes). Twice the value
// costs 13 to 20 % by cutting off the tail of the weights, half of it 40 % (1 ring) or nothing (3 rings). A
// temperature h^2 / r, fixed for the whole object, is 57 % off with one ring.
inline double recommended_eps(int rings) { return rings <= 1 ? 0.5 : rings == 2 ? 0.28 : 0.25; }

// Scratch memory of the estimate; not thread-safe: use one per thread. Grows to the largest hull seen, then
// never allocates.
template <class S>
struct RingWorkspace {
  RingWalk walk;       // gathers the vertices of the rings
  Heights<S> heights;  // coordinates of these vertices
};

// Returns a length of the hull for scaling bounds, m: half the diagonal of the box spanned by the vertices
// that the support lookup gives for the six axis directions, or half that of the bounding box if there is no
// lookup. Order of magnitude only.
inline double hull_size(const asset::ConvexView& hull) {
  double extent[3];
  const double* axes[3] = {hull.x, hull.y, hull.z};
  const std::int32_t k = hull.lookup_resolution;
  for (int a = 0; a < 3; ++a) {
    if (k > 0) {
      const auto at_axis = [&](int face) {
        return axes[a][hull.support_lookup[(face * k + k / 2) * k + k / 2]];
      };
      extent[a] = std::abs(at_axis(2 * a) - at_axis(2 * a + 1));
    } else {
      const auto [low, high] = std::minmax_element(axes[a], axes[a] + hull.vertex_count);
      extent[a] = *high - *low;
    }
  }
  return std::sqrt(extent[0] * extent[0] + extent[1] * extent[1] + extent[2] * extent[2]) / 2;
}

// Estimates the curvature at unit n with tangent basis T (hull's frame) of the soft maximum over the vertices
// v_i of the rings around `simplex`, the 1 to 3 vertices that carry the witness point. The callback
// temperature(mean_depth) returns the temperature t (m) for the mean depth (m) of these vertices; t is raised
// to at least 1e-9 `size` (m), so that if all vertices lie in one plane, eigenvalues stay below about 1e9
// size. Does not allocate once the workspace has seen a hull of this size.
//   z_i = <v_i, n>,  a = softmax(z / t),  H = (1/t) sum a_i (v_i - vbar)(v_i - vbar)',  vbar = sum a_i v_i
// Differs from [Montaut2022]: all vertices of the simplex are centres (with one, H jumps where the witness
// point moves from vertex to vertex), n is a unit vector (so t is a length), and H is projected on the
// tangent plane (softmax leaves n'Hn of 0.5-18 % of the radius, while a support function has H n = 0).
template <class S, class Temperature>
TangentCurvature<S> ring_curvature(const asset::ConvexView& hull, std::span<const std::int32_t> simplex,
                                   const Vec3<S>& n, const Mat32<S>& T, int rings, S size,
                                   RingWorkspace<S>& workspace, Temperature&& temperature) {
  workspace.heights.reserve(hull.vertex_count);
  const std::span<const std::int32_t> vertices = workspace.walk.gather(hull, simplex, rings);
  const HeightRange<S> range = measure_heights<S>(hull, vertices, n, T, workspace.heights);
  const S mean_depth = range.sum / static_cast<S>(vertices.size()) - range.least;
  const S t = std::max<S>(temperature(mean_depth), S(1e-9) * size);
  const SoftMoments<S> moments =
      soft_moments<S>(workspace.heights, vertices.size(), range.least, t);  // Eq. 27
  return {moments.covariance() / t, 0, {}};                                 // Eq. 28
}

// The same at the temperature given by `config`.
template <class S>
TangentCurvature<S> gumbel_curvature(const asset::ConvexView& hull, std::span<const std::int32_t> simplex,
                                     const Vec3<S>& n, const Mat32<S>& T, const GumbelConfig& config, S size,
                                     RingWorkspace<S>& workspace) {
  return ring_curvature<S>(hull, simplex, n, T, config.rings, size, workspace,
                           [&](S mean_depth) { return static_cast<S>(config.eps) * mean_depth; });
}

// The same as a matrix in the hull's frame.
template <class S>
Curvature<S> gumbel_curvature(const asset::ConvexView& hull, std::span<const std::int32_t> simplex,
                              const Vec3<S>& n, const GumbelConfig& config, S size,
                              RingWorkspace<S>& workspace) {
  const Mat32<S> T = tangent_basis(n);
  return {T * gumbel_curvature<S>(hull, simplex, n, T, config, size, workspace).H * T.transpose()};
}

// Computes the derivative of the witness points of two hulls from their witness (with the simplex that
// carries it) and the soft curvatures of both. Never throws; does not allocate once the workspace has seen
// hulls of this size.
template <class S>
WitnessDerivative<S> gumbel_derivative(const asset::ConvexView& A, const asset::ConvexView& B,
                                       const Pose<S>& X_AB, const witness::Witness<S>& witness,
                                       const GumbelConfig& config, const Clamp& clamp,
                                       RingWorkspace<S>& workspace) {
  if (witness.status == Status::kInvalidInput || witness.simplex_size < 1)
    return detail::invalid_derivative<S>();
  const std::size_t corners = static_cast<std::size_t>(witness.simplex_size);
  const S size_A = static_cast<S>(hull_size(A)), size_B = static_cast<S>(hull_size(B));
  const Vec3<S> m_B = -(X_AB.R.transpose() * witness.n);
  const Mat32<S> T = tangent_basis(witness.n), T_B = X_AB.R.transpose() * T;
  const TangentCurvature<S> H_A =
      gumbel_curvature<S>(A, std::span(witness.vertex_A, corners), witness.n, T, config, size_A, workspace);
  const TangentCurvature<S> H_B =
      gumbel_curvature<S>(B, std::span(witness.vertex_B, corners), m_B, T_B, config, size_B, workspace);
  return differentiate<S>(witness, X_AB, T, H_A, H_B, size_A + size_B, clamp);
}

// Settings of the estimator `gumbel`.
struct GumbelEstimatorConfig {
  GumbelConfig curvature;  // how that of each hull is estimated
  // If not 0: the published form with a fixed temperature of products of vertices with the separation vector,
  // m^2, which of depths along the unit normal is noise / |d|, m. Replaces eps.
  double noise = 0;
  Clamp clamp;  // keeps the derivative finite in singular directions
};
// Name, unit, range and meaning of each setting.
std::span<const Setting<GumbelEstimatorConfig>> gumbel_settings();
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
GumbelEstimatorConfig gumbel_config(const SettingValues& values);
// Makes the estimator `gumbel` of the table in estimator.h. Throws InvalidInput for settings out of range.
std::unique_ptr<Estimator> make_gumbel_estimator(const GumbelEstimatorConfig& config = {});

}  // namespace abut::derivative
