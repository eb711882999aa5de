#pragma once

#include "runtime/witness/core.h"
#include "runtime/witness/witness.h"

// Cores of primitives that are apart, by the point z midway between their closest points.
//
// With the projections P_A, P_B on the two cores, z minimises the convex function
//     F(z) = |z - P_A(z)|^2 / 2 + |z - P_B(z)|^2 / 2,    grad F = 2 z - P_A(z) - P_B(z).
// Its gradient is piecewise smooth, F'' = 2 I - P_A' - P_B': Newton's method goes over the faces, edges, rims
// and vertices of the cores without a list of them, in one step where both are flat or sharp and
// quadratically where one is round.
//
// An ellipsoid is the ball of its least radius of curvature rho summed with a smaller convex body, the points
// that are rho inside. It takes the ellipsoid's place here: overlaps up to rho are cores that are apart, and
// the maximum of a concave function, so that an answer is the only one.
namespace abut::witness {

// Whether projections on both cores are known: neither is a hull or a half-space.
template <class S>
bool has_midpoint(const Core<S>& A, const Core<S>& B);

// Radius of the ball that a core is summed of at least, m: zero but for ellipsoids.
template <class S>
S ball_within(const Core<S>& core) {
  return core.smooth() ? core.size().minCoeff() * core.size().minCoeff() / core.size().maxCoeff() : S(0);
}

// A point between the cores, to start from; unless they are points, both in the same place.
template <class S>
Vec3<S> between(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB) {
  const S a = A.size().norm(), b = B.size().norm();
  return a / (a + b) * X_AB.p;
}

// The witness of two cores, started from a point `z` between them; the bounds are not widened by rounding.
// False where the cores, less their balls, are closer than `least` (m, positive), or where the method does
// not end with bounds that meet within `tolerance` (m). S: double or long double.
template <class S>
bool answer_by_midpoint(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, const Vec3<S>& z, S least,
                        S tolerance, Witness<S>& result);

}  // namespace abut::witness
