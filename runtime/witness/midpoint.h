#pragma once

#include "runtime/witness/core.h"
#include "runtime/witness/witness.h"

// Witness of primitives' cores that are apart, by the point z midway between their closest points.
//
// With the projections P_A, P_B on the two cores, z minimises the convex function
//     F(z) = |z - P_A(z)|^2 / 2 + |z - P_B(z)|^2 / 2,    grad F = 2 z - P_A(z) - P_B(z).
// Its gradient is piecewise smooth, F'' = 2 I - P_A' - P_B'. Newton's method crosses the faces, edges, rims
// and vertices of the cores without a list of them; it converges in one step where both are flat or sharp,
// and quadratically where one is round.
//
// An ellipsoid is the Minkowski sum of a ball, with its least radius of curvature rho, and a smaller convex
// body, the points at least rho inside. That body replaces the ellipsoid here: for overlaps up to rho the
// cores are then apart, and the normal maximises a concave function, so that the solution is unique.
namespace abut::witness {

// Whether the method applies: projections onto both cores are known, since neither is a hull or a
// half-space.
template <class S>
bool has_midpoint(const Core<S>& A, const Core<S>& B);

// Radius of a ball that is a Minkowski summand of the core, m: zero except for ellipsoids.
template <class S>
S ball_within(const Core<S>& core) {
  return core.smooth() ? core.size().minCoeff() * core.size().minCoeff() / core.size().maxCoeff() : S(0);
}

// A starting point between the cores. Not finite if both are points.
template <class S>
Vec3<S> between(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB) {
  const S a = A.size().norm(), b = B.size().norm();
  return a / (a + b) * X_AB.p;
}

// Computes the witness of two cores, starting from a point `z` between them; the bounds do not include
// rounding. Returns false if the cores, without their balls, are closer than `least` (m, positive), or if
// the method does not end with bounds that meet within `tolerance` (m). S: double or long double.
template <class S>
bool answer_by_midpoint(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, const Vec3<S>& z, S least,
                        S tolerance, Witness<S>& result);

}  // namespace abut::witness
