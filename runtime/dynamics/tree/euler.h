#pragma once

#include "runtime/dynamics/tree/tree.h"

// First-order time steps of h seconds in the coordinates of a tree. Joints of one degree of freedom take
// q_next = q + h v_next. A joint of several rotates by R = exp(h w_next), w_next its angular velocity after
// the step, and shifts along a straight line in its parent: p_next = p + h R_PL_next v_next. So a free body
// with its frame in the centre of mass that nothing acts on keeps its velocity and its straight path at any
// step size.
//
// Slopes are derivatives by tangents of q (right perturbations, tree.h) and by velocities: (nv, nv),
// block-diagonal with a block for each joint.
namespace abut::dynamics {

// Advances q by a step with the velocities v_next. q_next may be q; `tangent` is working memory, (nv).
void euler_advance(const Tree& tree, const VecX<double>& q, const VecX<double>& v_next, double h,
                   VecX<double>& q_next, VecX<double>& tangent);
struct AdvanceSlopes {
  MatX<double> by_q, by_v_next;
};
AdvanceSlopes euler_advance_slopes(const Tree& tree, const VecX<double>& v_next, double h);

// Computes what v becomes over a step of euler_advance with v where linear velocities are constant in the
// parents' axes: R'v, R = exp(h w), for a free joint.
VecX<double> carried_velocity(const Tree& tree, const VecX<double>& v, double h);

// Computes the acceleration of a backward Euler step from v to v_next: the rate of v in the links' axes. Its
// linear part for a free joint is (v_next - R'v) / h - w_next x v_next, its angular part (w_next - R'w) / h.
VecX<double> backward_acceleration(const Tree& tree, const VecX<double>& v, const VecX<double>& v_next,
                                   double h);
struct AccelerationSlopes {
  MatX<double> by_v, by_v_next;
};
AccelerationSlopes backward_acceleration_slopes(const Tree& tree, const VecX<double>& v,
                                                const VecX<double>& v_next, double h);

// Computes v_next of a forward Euler step from v with the acceleration a. Its linear part for a free joint is
// R'(v + h (a + w x v)).
void forward_velocity(const Tree& tree, const VecX<double>& v, const VecX<double>& a, double h,
                      VecX<double>& v_next);
struct VelocitySlopes {
  MatX<double> by_v, by_a;
};
VelocitySlopes forward_velocity_slopes(const Tree& tree, const VecX<double>& v, const VecX<double>& a,
                                       double h);

}  // namespace abut::dynamics
