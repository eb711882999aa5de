#pragma once

#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/support.h"

// Exact curvatures of smooth, strictly convex shapes: what witness_derivative.h needs, in closed form.
namespace abut::derivative {

// At unit n, in the sphere's frame: H = r (I - n n').
template <class S>
Curvature<S> curvature(const witness::Sphere<S>& sphere, const Vec3<S>& n) {
  return {sphere.radius * (Mat3<S>::Identity() - n * n.transpose())};
}

// At unit n, in the ellipsoid's frame: H = (D^2 - s s') / h with D = diag(semi-axes), h = |D n|, s = D^2 n /
// h.
template <class S>
Curvature<S> curvature(const witness::Ellipsoid<S>& ellipsoid, const Vec3<S>& n) {
  return {witness::core_hessian<S>(ellipsoid, n)};
}

template <class S>
S shape_size(const witness::Sphere<S>& sphere) {
  return sphere.radius;
}
template <class S>
S shape_size(const witness::Ellipsoid<S>& ellipsoid) {
  return ellipsoid.semi_axes.maxCoeff();
}

// Exact derivative of the witness points of two smooth shapes, from their witness. Never throws.
template <class S, class ShapeA, class ShapeB>
WitnessDerivative<S> smooth_derivative(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB,
                                       const witness::Witness<S>& witness, const Clamp& clamp = {}) {
  const Vec3<S> m_B = -(X_AB.R.transpose() * witness.n);
  return differentiate<S>(witness, X_AB, curvature(A, witness.n), curvature(B, m_B),
                          shape_size(A) + shape_size(B), clamp);
}

}  // namespace abut::derivative
