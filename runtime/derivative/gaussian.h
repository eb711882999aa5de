#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/samples.h"
#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/core.h"

// First-order Gaussian estimate of a shape's curvature: the support point is averaged over normally
// distributed rotations of the direction. Needs only the support function of the shape. [Montaut2022, Eq. 26]
namespace abut::derivative {

// Settings of the estimator `gaussian`.
struct GaussianConfig {
  int samples = 20;  // M, >= 3
  // Standard deviation of the rotation, > 0, in units of the angle between neighbouring facets at the witness
  // point (`facet_angle`): independent of scale, adapts to the local resolution.
  double eps = 1.0;
  // If not 0: the published form, with drawn samples and a fixed standard deviation on the separation vector,
  // m, which on the unit normal is noise / |d|. Replaces eps.
  double noise = 0;
  std::uint64_t seed = 1;  // of the samples, which are made once per estimator
  Clamp clamp;             // keeps the derivative finite in singular directions
};

// Estimates the curvature at unit n with tangent basis T (shape's frame), smoothed over rotations by the
// angle eps (rad), from M whitened samples z_j; s is the support point:
//   H = (1 / (M eps)) sum s(n + eps T z_j) z_j',  symmetrised, without its negative eigenvalues
// Differs from [Montaut2022]: the samples lie in the tangent plane, the only place where H acts, and are
// centred and whitened, which makes s(n) a control variate without subtracting it and the estimate exact to
// first order in eps; and H is projected onto the positive semidefinite matrices, which contain that of every
// convex set, so that the projection can only reduce its error.
template <class S, class Shape>
TangentCurvature<S> gaussian_curvature(const Shape& shape, const Vec3<S>& n, const Mat32<S>& T, S eps,
                                       std::span<const Vec2<S>> samples) {
  Mat2<S> C = Mat2<S>::Zero();
  const Vec3<S> centre = witness::support<S>(shape, n).point;
  for (const Vec2<S>& z : samples) {
    const Vec3<S> direction = n + T * (eps * z);
    const Vec3<S> ds = witness::support<S>(shape, direction).point - centre;
    C += (T.transpose() * ds) * z.transpose();
  }
  const S scale = 1 / (2 * eps * static_cast<S>(samples.size()));
  Vec2<S> radii;
  const Mat2<S> Q = eigenvectors<S>(scale * (C + C.transpose()), radii);
  return {Q * radii.cwiseMax(S(0)).asDiagonal() * Q.transpose(), 0, {}};
}

// The published estimate, from M standard normal samples z_j in space:
//   H = (1 / (M eps)) sum (s(n + eps z_j) - s(n)) z_j' on the tangent plane, symmetrised [Montaut2022, Eq.
//   26]
template <class S, class Shape>
TangentCurvature<S> published_gaussian_curvature(const Shape& shape, const Vec3<S>& n, const Mat32<S>& T,
                                                 S eps, std::span<const Vec3<S>> samples) {
  const Vec3<S> centre = witness::support<S>(shape, n).point;
  Mat2<S> C = Mat2<S>::Zero();
  for (const Vec3<S>& z : samples) {
    const Vec3<S> ds = witness::support<S>(shape, Vec3<S>(n + eps * z)).point - centre;
    C += (T.transpose() * ds) * (z.transpose() * T);
  }
  return {(C + C.transpose()) / (2 * eps * static_cast<S>(samples.size())), 0, {}};
}

// Angle (rad) between the normals of neighbouring facets around `point` on a hull, `simplex` being the
// vertices that carry the point: twice the mean depth of the vertices of the first ring below the plane
// through `point` with normal n, over their mean distance from it within that plane. On a sphere of radius r
// with edges of length h this is h / r. At least 1e-6.
template <class S>
S facet_angle(const asset::ConvexView& hull, std::span<const std::int32_t> simplex, const Vec3<S>& point,
              const Vec3<S>& n) {
  using std::sqrt;
  S depth = 0, lateral = 0;
  for (const std::int32_t vertex : simplex) {
    for (std::int32_t k = hull.adjacency_offsets[vertex]; k < hull.adjacency_offsets[vertex + 1]; ++k) {
      const Vec3<S> r = witness::core_vertex<S>(hull, hull.adjacency[k]) - point;
      const S height = n.dot(r);
      depth -= height;
      lateral += sqrt(std::max(S(0), r.squaredNorm() - height * height));
    }
  }
  return depth > S(0.5e-6) * lateral ? 2 * depth / lateral : S(1e-6);
}

// Computes the derivative of the witness points of two hulls from their witness (with the simplex that
// carries it). Never throws, never allocates.
template <class S>
WitnessDerivative<S> gaussian_derivative(const asset::ConvexView& A, const asset::ConvexView& B,
                                         const Pose<S>& X_AB, const witness::Witness<S>& witness, S eps,
                                         std::span<const Vec2<S>> samples, S size, const Clamp& clamp) {
  if (witness.status == Status::kInvalidInput || witness.simplex_size < 1)
    return detail::invalid_derivative<S>();
  const std::size_t corners = static_cast<std::size_t>(witness.simplex_size);
  const std::span simplex_A(witness.vertex_A, corners), simplex_B(witness.vertex_B, corners);
  const Vec3<S> m_B = -(X_AB.R.transpose() * witness.n);
  const Vec3<S> p2_B = X_AB.R.transpose() * (witness.p2 - X_AB.p);
  const Mat32<S> T = tangent_basis(witness.n), T_B = X_AB.R.transpose() * T;
  const S angle_A = eps * facet_angle<S>(A, simplex_A, witness.p1, witness.n);
  const S angle_B = eps * facet_angle<S>(B, simplex_B, p2_B, m_B);
  return differentiate<S>(witness, X_AB, T, gaussian_curvature<S>(A, witness.n, T, angle_A, samples),
                          gaussian_curvature<S>(B, m_B, T_B, angle_B, samples), size, clamp);
}

// Settings of the estimator `gaussian`: name, unit, range and meaning of each.
std::span<const Setting<GaussianConfig>> gaussian_settings();
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
GaussianConfig gaussian_config(const SettingValues& values);
// Makes the estimator `gaussian` of the table in estimator.h. Throws InvalidInput for settings out of range.
std::unique_ptr<Estimator> make_gaussian_estimator(const GaussianConfig& config = {});

}  // namespace abut::derivative
