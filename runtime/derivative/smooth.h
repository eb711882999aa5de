#pragma once

#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/core.h"

// Exact derivatives of the witness points of shapes in closed form. S: double or long double.
namespace abut::derivative {

// Exact curvature of a shape in closed form, no hull, at the unit normal n and the witness point p, both in
// the shape's frame: where a face, a side, a slope or a disc touches, p says whether it is that or its edge.
template <class S>
Curvature<S> curvature(const witness::Core<S>& shape, const Vec3<S>& n, const Vec3<S>& p);

// Of the order of the shape's largest half size, m, for Clamp only; 0 for a half-space.
template <class S>
S shape_size(const witness::Core<S>& shape);

// Exact derivative of the witness points of two shapes in closed form, from their witness. Never throws; NaN
// and kInvalidInput for a hull, which polytope.h and the other estimators answer for.
template <class S>
WitnessDerivative<S> smooth_derivative(const witness::Core<S>& A, const witness::Core<S>& B,
                                       const Pose<S>& X_AB, const witness::Witness<S>& witness,
                                       const Clamp& clamp = {});
// The same of primitives (body/primitive.h), also swept by a ball.
template <class S, class ShapeA, class ShapeB>
WitnessDerivative<S> smooth_derivative(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB,
                                       const witness::Witness<S>& witness, const Clamp& clamp = {}) {
  return smooth_derivative<S>(witness::Core<S>(A), witness::Core<S>(B), X_AB, witness, clamp);
}

}  // namespace abut::derivative
