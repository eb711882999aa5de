#pragma once

#include "runtime/dynamics/tree/tree.h"

// Steps of the first order in time, of h seconds, in the coordinates of a tree. Joints of one degree of
// freedom add up. A joint that turns otherwise does so by R = exp(h w') with the velocity w' after the step,
// and what it shifts goes along a straight line of its parent: p' = p + h R_q' v'. So a free body that
// nothing acts on keeps its velocity and its way, whatever the step.
//
// Slopes are by tangents of q (right perturbations, tree.h) and by velocities: (nv, nv), a block for each
// joint.
namespace abut::dynamics {

// q_next may be q; `tangent` (nv): room for work.
void euler_advance(const Tree& tree, const VecX<double>& q, const VecX<double>& v_next, double h,
                   VecX<double>& q_next, VecX<double>& tangent);
struct AdvanceSlopes {
  MatX<double> by_q, by_v_next;
};
AdvanceSlopes euler_advance_slopes(const Tree& tree, const VecX<double>& v_next, double h);

// What v becomes of links that euler_advance takes with v, where nothing changes their velocities in the axes
// of their parents: R'v of a free joint.
VecX<double> carried_velocity(const Tree& tree, const VecX<double>& v, double h);

// The acceleration, rate of v in the axes of the links, for which v becomes v_next: backward Euler's. Of a
// free joint it is (v' - R'v) / h - w' x v'.
VecX<double> backward_acceleration(const Tree& tree, const VecX<double>& v, const VecX<double>& v_next,
                                   double h);
struct AccelerationSlopes {
  MatX<double> by_v, by_v_next;
};
AccelerationSlopes backward_acceleration_slopes(const Tree& tree, const VecX<double>& v,
                                                const VecX<double>& v_next, double h);

// What v becomes by the acceleration a: forward Euler's, R'(v + h (a + w x v)) of a free joint.
void forward_velocity(const Tree& tree, const VecX<double>& v, const VecX<double>& a, double h,
                      VecX<double>& v_next);
struct VelocitySlopes {
  MatX<double> by_v, by_a;
};
VelocitySlopes forward_velocity_slopes(const Tree& tree, const VecX<double>& v, const VecX<double>& a,
                                       double h);

}  // namespace abut::dynamics
