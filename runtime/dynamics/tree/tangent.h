#pragma once

#include "runtime/dynamics/tree/tree.h"

// How the exponential of a tree's configurations, q' = integrate(q, u) (tree.h), follows from q and u: block
// matrices with a block for each joint, (nv, nv), the identity for joints of one degree of freedom.
namespace abut::dynamics {

struct ExponentialSlopes {
  MatX<double> transport;  // tangent of q' by that of q, Ad(exp(-u))
  MatX<double> right;      // tangent of q' by u, the right Jacobian Jr(u)
};

ExponentialSlopes exponential_slopes(const Tree& tree, const VecX<double>& u);

// Jr(u)^-1: the rate of u where q' moves with velocities v is Jr(u)^-1 v. By its series up to the fourth
// power of u: for turns of much less than a radian.
MatX<double> inverse_right_slope(const Tree& tree, const VecX<double>& u);
// ad(v), the derivative of Ad(exp(t v)) at t = 0; zero for joints of one degree of freedom.
MatX<double> adjoint_derivative(const Tree& tree, const VecX<double>& v);

}  // namespace abut::dynamics
