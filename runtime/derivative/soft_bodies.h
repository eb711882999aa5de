#pragma once

#include <memory>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/witness_derivative.h"

// Soft bodies: hulls whose support functions are replaced by soft maxima over all their vertices,
//   h_t(n) = t log sum exp(<v_i, n> / t),   s_t(n) = grad h_t(n) = sum a_i v_i,   a = softmax(<v_i, n> / t).
// The other estimators smooth the curvature at the polytopes' own witness; here points, normal and distance,
// too, are those of the soft bodies: smooth functions of the pose, with their own derivatives. This extends
// [Montaut2022, Eqs. 27 and 28] from the Hessian to the points.
//
//   auto soft = derivative::make_estimator("soft_bodies");
//   const auto [exact, smoothed, derivative] = soft->smoothed({&mug, &box, X_AB});
namespace abut::derivative {

// A hull with the temperature t (m, > 0) that makes it a soft body.
template <class S>
struct SoftHull {
  const asset::ConvexView& hull;  // must outlive this object
  S temperature;                  // t, m
};

// Soft support at a unit normal n, in the hull's frame: s_t(n), its Jacobian H = hess h_t(n) (in space: H n
// is not 0) and h_t(n), all in m.
template <class S>
struct SoftSupport {
  Vec3<S> point;  // s_t(n), m
  Mat3<S> H;      // hess h_t(n), m
  S height;       // h_t(n), m
};
// Computes the soft support by sums over all vertices of the hull.
template <class S>
SoftSupport<S> soft_support(const SoftHull<S>& body, const Vec3<S>& n);

// Witness of two soft bodies: p1 = s_A(n), p2 = p + R s_B(-R'n) with X_AB = (R, p), and p2 - p1 = d n, where
// n is a local maximum of g(n) = <n, p> - h_A(n) - h_B(-R'n) over unit normals. Differs from witness.h: d is
// n'(p2 - p1), not g, so that both points lie within their hulls.
template <class S>
struct SoftWitness {
  witness::Witness<S> witness;  // both bounds equal d; no simplex
  SoftSupport<S> A, B;          // at the normal, each in its body's frame
};

// Computes the witness by Newton's method on the unit sphere, starting from the unit normal n (A's frame),
// preferably that of the hulls. Never throws, never allocates; kNotConverged where the part of p2 - p1
// orthogonal to the normal found exceeds 4e5 epsilon (|p1| + |p2| + |p|), epsilon being the precision of S.
template <class S>
SoftWitness<S> soft_witness(const SoftHull<S>& A, const SoftHull<S>& B, const Pose<S>& X_AB,
                            const Vec3<S>& n);

// Computes the derivative of a soft witness: exact unless clamped. As in `differentiate`, with T a tangent
// basis of n, m = -R'n, and H in space:
//   (d I + T'H_D T) y = T'dp2|n,  dn = T y,  dp1 = H_A dn,  dp2 = dp2|n - R H_B R' dn,  dd = n'(dp2 - dp1)
// where dp2|n = R [ H_B [m] - [s_B]   I ] xi and H_D = H_A + R H_B R'. `size` (m) is a length of the pair,
// used for `clamp` only.
template <class S>
WitnessDerivative<S> soft_derivative(const SoftWitness<S>& soft, const Pose<S>& X_AB, S size,
                                     const Clamp& clamp = {});

// Computes the second derivatives of a soft witness; where the first derivative is clamped, with the raised
// curvatures. NaN where the first derivative is NaN.
template <class S>
WitnessHessian<S> soft_hessian(const SoftHull<S>& A, const SoftHull<S>& B, const SoftWitness<S>& soft,
                               const Pose<S>& X_AB, S size, const Clamp& clamp = {});

// Settings of the estimator `soft_bodies`. Its derivative is that of the hulls' own witness with the
// curvature of the soft bodies there; its smoothed witness is that of the soft bodies.
struct SoftBodiesConfig {
  // Temperature of each hull, > 0, in units of (root mean square distance of its vertices from their mean) /
  // (number of vertices): about h^2 / (2 r) for spacing h and radius of curvature r. The same at every pose,
  // so that the soft bodies do not change.
  double eps = 7;
  Clamp clamp;  // keeps the derivative finite in singular directions
};
// Name, unit, range and meaning of each setting.
std::span<const Setting<SoftBodiesConfig>> soft_bodies_settings();
// Returns the defaults overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
SoftBodiesConfig soft_bodies_config(const SettingValues& values);
// Makes the estimator `soft_bodies` of the table in estimator.h. Throws InvalidInput for settings out of
// range.
std::unique_ptr<Estimator> make_soft_bodies_estimator(const SoftBodiesConfig& config = {});

}  // namespace abut::derivative
