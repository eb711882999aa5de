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
// maximum over the vertices near the witness point, whose Hessian is closed-form. [Montaut2022, Eqs. 27 and
// 28]
namespace abut::derivative {

// How the curvature of a hull is estimated.
struct GumbelConfig {
  // Depth of the neighbourhood: vertices within this many edges of a vertex of the witness simplex, >= 1.
  int rings = 3;
  // Temperature of the soft maximum relative to the object, > 0: in units of the mean depth of the
  // neighbourhood's vertices below its support plane, which is about rings^2 h^2 / (4 r) for spacing h and
  // radius of curvature r. So it is free of scale, follows the local spacing and radius, and the smoothing's
  // reach sqrt(temperature r) always fits in the rings. recommended_eps() is the best value for a depth.
  double eps = 0.25;
};

// The eps of least error of H for a ring depth. Measured on tessellated ellipsoids (semi-axes 1 : 0.3..1 :
// 0.3..1, 642 and 2,562 vertices, random turns and directions; error in the Frobenius norm relative to the
// smooth ellipsoid's H, median and 95th percentile): rings 1: 10 and 18 %; rings 2: 3 and 7 %; rings 3: 2.5
// and 6 %; rings 5: 3 and 6 % (the wider reach sees H itself change). Twice the value costs 13 to 20 % by
// cutting the tail off, half of it 40 % (1 ring) or nothing (3 rings). A temperature h^2 / r, fixed for the
// whole object, was 57 % off with one ring.
inline double recommended_eps(int rings) { return rings <= 1 ? 0.5 : rings == 2 ? 0.28 : 0.25; }

// Scratch space of the estimate: one per thread. Grows to the largest hull seen, then never allocates.
template <class S>
struct RingWorkspace {
  RingWalk walk;       // gathers the vertices of the rings
  Heights<S> heights;  // of these vertices
};

// A length of the hull for scaling bounds, m: half the diagonal of the box that the lookup's vertices for the
// six axis directions span, or of the bounding box where there is no lookup. Order of magnitude only.
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

// Curvature at unit n with tangent basis T (hull's frame) of the soft maximum over the rings around
// `simplex`, the vertices that carry the witness point, 1 to 3. temperature(m) gives the temperature (m) from
// the mean depth of the rings' vertices; it is raised to 1e-9 `size` (m), so that where all vertices lie in
// one plane eigenvalues stay below about 1e9 size. No allocation once the workspace has seen a hull of this
// size.
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

// The same at the temperature of `config`.
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

// Derivative of the witness points of two hulls, from their witness (with the simplex that carries it) and
// the soft curvatures of both. Never throws; no allocation once the workspace has seen hulls of this size.
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
  GumbelConfig curvature;  // of each hull
  // Not 0: the published form, whose temperature is fixed on the separation vector, m: on the unit normal it
  // is noise / |d|. Takes the place of eps.
  double noise = 0;
  Clamp clamp;  // keeps the derivative finite in singular directions
};
// Name, unit, range and meaning of each.
std::span<const Setting<GumbelEstimatorConfig>> gumbel_settings();
// The defaults with those given. Throws InvalidInput for one that is unknown or out of range.
GumbelEstimatorConfig gumbel_config(const SettingValues& values);
// The estimator of the table. Throws InvalidInput for settings out of range.
std::unique_ptr<Estimator> make_gumbel_estimator(const GumbelEstimatorConfig& config = {});

}  // namespace abut::derivative
