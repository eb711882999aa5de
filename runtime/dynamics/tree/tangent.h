#pragma once

#include "runtime/dynamics/tree/tree.h"

// Derivatives of the exponential q' = integrate(q, u) of a tree's configurations (tree.h) by q and by u. All
// are block-diagonal (nv, nv) matrices with a block for each joint, which is the identity for joints of one
// degree of freedom.
namespace abut::dynamics {

struct ExponentialSlopes {
  MatX<double> transport;  // by the tangent of q: Ad(exp(-u))
  MatX<double> right;      // by u: the right Jacobian Jr(u)
};

ExponentialSlopes exponential_slopes(const Tree& tree, const VecX<double>& u);

// Computes Jr(u)^-1: where q' moves with velocities v, u has the rate Jr(u)^-1 v. Uses the series up to the
// fourth power of u, for rotations of much less than a radian.
MatX<double> inverse_right_slope(const Tree& tree, const VecX<double>& u);
// Computes ad(v), the derivative of Ad(exp(t v)) by t at t = 0, which is zero for joints of one degree of
// freedom.
MatX<double> adjoint_derivative(const Tree& tree, const VecX<double>& v);

}  // namespace abut::dynamics
