#pragma once

#include <memory>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/witness_derivative.h"

// Soft bodies: hulls whose support functions are replaced by soft maxima over all their vertices,
//   h_t(n) = t log sum exp(<v_i, n> / t),   s_t(n) = grad h_t(n) = sum a_i v_i,   a = softmax(<v_i, n> / t).
// The other estimators smooth the curvature at the polytopes' own witness; here points, normal and distance
// are those of the soft bodies, too: smooth functions of the pose, with their own derivatives. [Montaut2022,
// Eqs. 27 and 28], carried from the Hessian to the points.
//
//   auto soft = derivative::make_estimator("soft_bodies");
//   const auto [exact, smoothed, derivative] = soft->smoothed({&mug, &box, X_AB});
namespace abut::derivative {

// A hull at a temperature t (m, > 0).
template <class S>
struct SoftHull {
  const asset::ConvexView& hull;  // must outlive it
  S temperature;                  // t, m
};

// At a unit normal n, in the hull's frame: s_t(n), its Jacobian H = hess h_t(n) (in space: H n is not 0) and
// h_t(n), all in m.
template <class S>
struct SoftSupport {
  Vec3<S> point;  // s_t(n), m
  Mat3<S> H;      // hess h_t(n), m
  S height;       // h_t(n), m
};
// By sums over all vertices of the hull.
template <class S>
SoftSupport<S> soft_support(const SoftHull<S>& body, const Vec3<S>& n);

// Witness of two soft bodies: p1 = s_A(n), p2 = p + R s_B(-R'n) and p2 - p1 = d n at a local maximum of
// g(n) = <n, p> - h_A(n) - h_B(-R'n) over unit n. Differs from witness.h: d is n'(p2 - p1), not g, so that
// both points lie within their hulls.
template <class S>
struct SoftWitness {
  witness::Witness<S> witness;  // bounds: d; no simplex
  SoftSupport<S> A, B;          // in their own frames
};

// By Newton's method on the sphere from the unit normal n (A's frame), which is best that of the hulls. Never
// throws, never allocates; kNotConverged where the points are not on one normal to rounding.
template <class S>
SoftWitness<S> soft_witness(const SoftHull<S>& A, const SoftHull<S>& B, const Pose<S>& X_AB,
                            const Vec3<S>& n);

// Derivative of a soft witness: exact unless clamped. As differentiate() says, with H in space:
//   (d I + T'H_D T) y = T'dp2|n,  dn = T y,  dp1 = H_A dn,  dp2 = dp2|n - R H_B R' dn,  dd = n'(dp2 - dp1)
// where dp2|n = R [ H_B [m] - [s_B]   I ] xi and H_D = H_A + R H_B R'.
template <class S>
WitnessDerivative<S> soft_derivative(const SoftWitness<S>& soft, const Pose<S>& X_AB, S size,
                                     const Clamp& clamp = {});

// Second derivatives of a soft witness; where its derivative is clamped, with the raised curvatures. NaN
// where that is.
template <class S>
WitnessHessian<S> soft_hessian(const SoftHull<S>& A, const SoftHull<S>& B, const SoftWitness<S>& soft,
                               const Pose<S>& X_AB, S size, const Clamp& clamp = {});

// Settings of the estimator `soft_bodies`, which gives the hulls' own witness with the soft bodies' curvature
// there, and the soft bodies' witness.
struct SoftBodiesConfig {
  // Temperature of each hull, > 0, in units of the spread of its vertices (root mean square distance from
  // their mean) over their number: about h^2 / (2 r) for spacing h and radius of curvature r. Constant over
  // poses, so that the soft bodies stay the same.
  double eps = 7;
  Clamp clamp;  // keeps the derivative finite in singular directions
};
// Name, unit, range and meaning of each.
std::span<const Setting<SoftBodiesConfig>> soft_bodies_settings();
// The defaults with those given. Throws InvalidInput for one that is unknown or out of range.
SoftBodiesConfig soft_bodies_config(const SettingValues& values);
// The estimator of the table. Throws InvalidInput for settings out of range.
std::unique_ptr<Estimator> make_soft_bodies_estimator(const SoftBodiesConfig& config = {});

}  // namespace abut::derivative
