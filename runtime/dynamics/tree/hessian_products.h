#pragma once

#include "runtime/dynamics/tree/scratch.h"

// Second derivatives of inverse and forward dynamics: Hessian-vector products of a scalar f = weights' tau or
// f = weights' a, in closed form and O(n). S is double or long double.
//
// A direction is (dq; dv; da) or (dq; dv; dtau), (3 nv), where dq is a tangent of q. The result in
// scratch.hessian_product, (3 nv), is the rate along the direction of the gradient in scratch.gradient,
// (3 nv), by (q; v; a) or (q; v; tau). With the gradient's part by q, g_k(q) = d/ds f(integrate(q, s e_k)) at
// s = 0, it is
//   product_k = d/dt g_k(integrate(q, t dq), v + t dv, a + t da) at t = 0.
// Each gradient is by tangents at the configuration where it is taken, in the axes that the link of a planar,
// spherical or free joint has there. For joints of one degree of freedom, and for v, a and tau, the product
// is the symmetric Hessian times the direction. Between the tangents of one planar, spherical or free joint
// it is not symmetric, because rotations do not commute: for directions d and e of q only,
//   e' product(d) - d' product(e) = g' [d, e],   [d, e] = ad(d) e of the joint's twists,
// with ad as in `adjoint_derivative` of math/adjoint.h, and the symmetric Hessian of f(integrate(q, x)) by x
// at x = 0 times d is
//   product(d) - 1/2 ad(d)' g,   block by block.
namespace abut::dynamics {

// Computes the product and the gradient of weights' tau(q, v, a); `weights` is (nv).
template <class S>
const VecX<S>& inverse_dynamics_hessian_product(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                                InVec<S> weights, InVec<S> direction,
                                                BasicTreeScratch<S>& scratch);

// Computes the product and the gradient of weights' a(q, v, tau); `weights` is (nv). Leaves a in
// scratch.acceleration and its rate along the direction in scratch.acceleration_rate.
template <class S>
const VecX<S>& forward_dynamics_hessian_product(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                                InVec<S> weights, InVec<S> direction,
                                                BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
