#pragma once

#include "runtime/witness/core.h"
#include "runtime/witness/witness.h"

// Two cores that are ellipsoids or points, one at least an ellipsoid, by Newton's method on the unit normal
// (polish.h has the equations). Each is summed of a smaller convex body and a ball of its least radius of
// curvature (ball_within), together rho: where the distance is above -rho, it is that of the smaller bodies
// less rho, which are apart. Its maximum over n is the only one then, and the Hessian definite on the way.
namespace abut::witness {

template <class S>
bool smooth_pair(const Core<S>& A, const Core<S>& B) {
  const auto point = [](const Core<S>& core) { return core.kind() == Core<S>::Kind::kPoint; };
  return (A.smooth() && (B.smooth() || point(B))) || (point(A) && B.smooth());
}

// The witness of such cores, started from a direction `n`, not zero; the bounds are not widened by rounding.
// False where they overlap by more than rho, or where the method does not end with bounds that meet within
// `tolerance` (m). S: double or long double.
template <class S>
bool answer_by_normal(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, const Vec3<S>& n, S tolerance,
                      Witness<S>& result);

}  // namespace abut::witness
