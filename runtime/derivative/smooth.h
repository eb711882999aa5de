#pragma once

#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/core.h"

// Exact derivatives of the witness points of primitives, whose curvature has a closed form. S: double or long
// double.
namespace abut::derivative {

// Returns the exact curvature of a shape other than a hull at the unit normal n and the witness point p, both
// in the shape's frame. Where n is the normal of a face, side, slope or disc, p decides whether the point
// lies inside it or, within `rounding` (m), on its edge.
template <class S>
Curvature<S> curvature(const witness::Core<S>& shape, const Vec3<S>& n, const Vec3<S>& p, S rounding = 0);

// Bound of the rounding of the witness points in the frames of the bodies, m.
template <class S>
S point_rounding(const witness::Witness<S>& witness, const Pose<S>& X_AB) {
  constexpr S kRounding = 16 * std::numeric_limits<S>::epsilon();
  return kRounding *
         (X_AB.p.template lpNorm<1>() + witness.p1.template lpNorm<1>() + witness.p2.template lpNorm<1>());
}

// Returns a length of the order of the shape's largest half size, m, for `Clamp` only; 0 for a half-space.
template <class S>
S shape_size(const witness::Core<S>& shape);

// Computes the exact derivative of the witness points of two shapes other than hulls from their witness.
// Never throws; NaN and kInvalidInput for a hull, for which polytope.h and the other estimators exist.
template <class S>
WitnessDerivative<S> smooth_derivative(const witness::Core<S>& A, const witness::Core<S>& B,
                                       const Pose<S>& X_AB, const witness::Witness<S>& witness,
                                       const Clamp& clamp = {});
// The same for primitives (body/primitive.h), also swept by a ball.
template <class S, class ShapeA, class ShapeB>
WitnessDerivative<S> smooth_derivative(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB,
                                       const witness::Witness<S>& witness, const Clamp& clamp = {}) {
  return smooth_derivative<S>(witness::Core<S>(A), witness::Core<S>(B), X_AB, witness, clamp);
}

}  // namespace abut::derivative
