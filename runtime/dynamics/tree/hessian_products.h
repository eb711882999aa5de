#pragma once

#include "runtime/dynamics/tree/scratch.h"

// Second derivatives of inverse and forward dynamics: Hessian-vector products of one number, weights' tau or
// weights' a, in closed form and O(n). S is double or long double.
//
// A direction is (dq; dv; da) or (dq; dv; dtau), (3 nv), dq a tangent of q. The result in
// scratch.hessian_product, (3 nv), is the rate along it of the gradient in scratch.gradient, (3 nv), by (q;
// v; a) or (q; v; tau). The part of the gradient by q is g_k(q) = d/ds f(integrate(q, s e_k)) at s = 0, so
// that
//   product_k = d/dt g_k(integrate(q, t dq), v + t dv, a + t da) at t = 0:
// each gradient is by tangents of the configuration where it is, in the axes that the link of a planar,
// spherical or free joint has there. For joints of one degree of freedom, and for v, a and tau, this is the
// symmetric matrix of second derivatives times the direction. Between the tangents of one planar, spherical
// or free joint it is not symmetric, as turns do not commute: for directions d and e of q alone,
//   e' product(d) - d' product(e) = g' [d, e],   [d, e] = ad(d) e of the joint's twists,
// with ad as in math/adjoint.h's adjoint_derivative, and the symmetric matrix of second derivatives of
// f(integrate(q, x)) by x at x = 0 times d is
//   product(d) - 1/2 ad(d)' g,   block by block.
namespace abut::dynamics {

// Of weights' tau(q, v, a), (weights: nv).
template <class S>
const VecX<S>& inverse_dynamics_hessian_product(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                                InVec<S> weights, InVec<S> direction,
                                                BasicTreeScratch<S>& scratch);

// Of weights' a(q, v, tau), (weights: nv). a itself in scratch.acceleration, and its rate along the direction
// in scratch.acceleration_rate.
template <class S>
const VecX<S>& forward_dynamics_hessian_product(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                                InVec<S> weights, InVec<S> direction,
                                                BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
