#pragma once

#include "runtime/witness/core.h"
#include "runtime/witness/witness.h"

// Witness of two cores that are ellipsoids or points, at least one an ellipsoid, by Newton's method on the
// unit normal (polish.h has the equations). Each core is the Minkowski sum of a smaller convex body and a
// ball with its least radius of curvature (ball_within); rho is the sum of both radii. Where the distance is
// above -rho, the smaller bodies are apart, and the distance is theirs less rho. Its maximum over n is then
// unique, and the Hessian is definite along the way.
namespace abut::witness {

template <class S>
bool smooth_pair(const Core<S>& A, const Core<S>& B) {
  const auto point = [](const Core<S>& core) { return core.kind() == Core<S>::Kind::kPoint; };
  return (A.smooth() && (B.smooth() || point(B))) || (point(A) && B.smooth());
}

// Computes the witness of such cores, starting from a direction `n`, not zero; the bounds do not include
// rounding. Returns false if they overlap by more than rho, or if the method does not end with bounds that
// meet within `tolerance` (m). S: double or long double.
template <class S>
bool answer_by_normal(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, const Vec3<S>& n, S tolerance,
                      Witness<S>& result);

}  // namespace abut::witness
