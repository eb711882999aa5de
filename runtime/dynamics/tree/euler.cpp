#include "runtime/dynamics/tree/euler.h"

#include "runtime/dynamics/tree/joint_groups.h"
#include "runtime/math/adjoint.h"

namespace abut::dynamics {
namespace {

using detail::blocks;
using detail::for_each_group;
using detail::Parts;
using detail::right_jacobian_of_turn;
using detail::set_block;
using detail::Subspace;

const Mat3<double>& zero() {
  static const Mat3<double> kZero = Mat3<double>::Zero();
  return kZero;
}

// Rate of V in the parent, in the link's axes, minus the rate of the components of V: (0; w x v).
Vec6<double> carried(const Parts& V) {
  return (Vec6<double>() << Vec3<double>::Zero(), V.w.cross(V.v)).finished();
}
Mat6<double> carried_slope(const Parts& V) { return blocks(zero(), zero(), -skew(V.v), skew(V.w)); }

MatX<double> identity(const Tree& tree, double scale) {
  return scale * MatX<double>::Identity(tree.nv(), tree.nv());
}

}  // namespace

void euler_advance(const Tree& tree, const VecX<double>& q, const VecX<double>& v_next, double h,
                   VecX<double>& q_next, VecX<double>& tangent) {
  // Rotates first; exp((0; h v)) then shifts by h R_next v.
  tangent = h * v_next;
  for_each_group(tree, [&](int first, const Subspace& S) {
    tangent.segment(first, S.cols()) -= detail::shift_of(S, tangent.segment(first, S.cols()));
  });
  tree.integrate(q, tangent, q_next);
  tangent.setZero();
  for_each_group(tree, [&](int first, const Subspace& S) {
    tangent.segment(first, S.cols()) = detail::shift_of(S, h * v_next.segment(first, S.cols()));
  });
  tree.integrate(q_next, tangent, q_next);
}

// With the tangent (dtheta; dp) of q and the index n for quantities after the step,
//   dtheta_n = R' dtheta + h Jr dw_n,  dp_n = R' dp + h (dv_n + dtheta_n x v_n).
AdvanceSlopes euler_advance_slopes(const Tree& tree, const VecX<double>& v_next, double h) {
  AdvanceSlopes slopes{identity(tree, 1), identity(tree, h)};
  for_each_group(tree, [&](int first, const Subspace& S) {
    const Parts V(S * v_next.segment(first, S.cols()));
    const Mat3<double> back = exp_rotation<double>(-h * V.w), Jr = right_jacobian_of_turn(h * V.w);
    set_block(S, first, blocks(back, zero(), -h * skew(V.v) * back, back), slopes.by_q);
    set_block(S, first, blocks(h * Jr, zero(), -h * h * skew(V.v) * Jr, h * Mat3<double>::Identity()),
              slopes.by_v_next);
  });
  return slopes;
}

VecX<double> carried_velocity(const Tree& tree, const VecX<double>& v, double h) {
  VecX<double> next = v;
  for_each_group(tree, [&](int first, const Subspace& S) {
    Vec6<double> V = S * v.segment(first, S.cols());
    V.tail<3>() = exp_rotation<double>(-h * V.head<3>()) * V.tail<3>();
    next.segment(first, S.cols()) = S.transpose() * V;
  });
  return next;
}

VecX<double> backward_acceleration(const Tree& tree, const VecX<double>& v, const VecX<double>& v_next,
                                   double h) {
  VecX<double> a = (v_next - v) / h;
  for_each_group(tree, [&](int first, const Subspace& S) {
    const Vec6<double> V_next = S * v_next.segment(first, S.cols());
    const Parts next(V_next), before(S * v.segment(first, S.cols()));
    const Mat3<double> back = exp_rotation<double>(-h * next.w);
    Vec6<double> turned;
    turned << back * before.w, back * before.v;
    a.segment(first, S.cols()) = S.transpose() * ((V_next - turned) / h - carried(next));
  });
  return a;
}

AccelerationSlopes backward_acceleration_slopes(const Tree& tree, const VecX<double>& v,
                                                const VecX<double>& v_next, double h) {
  AccelerationSlopes slopes{identity(tree, -1 / h), identity(tree, 1 / h)};
  for_each_group(tree, [&](int first, const Subspace& S) {
    const Parts next(S * v_next.segment(first, S.cols())), before(S * v.segment(first, S.cols()));
    const Mat3<double> back = exp_rotation<double>(-h * next.w), Jr = right_jacobian_of_turn(h * next.w);
    set_block(S, first, blocks(back, zero(), zero(), back) / -h, slopes.by_v);
    const Mat6<double> turning =
        blocks(skew<double>(back * before.w) * Jr, zero(), skew<double>(back * before.v) * Jr, zero());
    set_block(S, first, Mat6<double>::Identity() / h - turning - carried_slope(next), slopes.by_v_next);
  });
  return slopes;
}

void forward_velocity(const Tree& tree, const VecX<double>& v, const VecX<double>& a, double h,
                      VecX<double>& v_next) {
  v_next = v + h * a;
  for_each_group(tree, [&](int first, const Subspace& S) {
    const Vec6<double> V = S * v.segment(first, S.cols());
    Vec6<double> V_next = V + h * (S * a.segment(first, S.cols()) + carried(Parts(V)));
    V_next.tail<3>() = exp_rotation<double>(-h * V_next.head<3>()) * V_next.tail<3>();
    v_next.segment(first, S.cols()) = S.transpose() * V_next;
  });
}

VelocitySlopes forward_velocity_slopes(const Tree& tree, const VecX<double>& v, const VecX<double>& a,
                                       double h) {
  VelocitySlopes slopes{identity(tree, 1), identity(tree, h)};
  for_each_group(tree, [&](int first, const Subspace& S) {
    const Vec6<double> V = S * v.segment(first, S.cols());
    const Parts next(V + h * (S * a.segment(first, S.cols()) + carried(Parts(V))));
    const Mat3<double> back = exp_rotation<double>(-h * next.w);
    const Mat6<double> turn =
        blocks(Mat3<double>::Identity(), zero(),
               skew<double>(back * next.v) * (h * right_jacobian_of_turn(h * next.w)), back);
    set_block(S, first, turn * (Mat6<double>::Identity() + h * carried_slope(Parts(V))), slopes.by_v);
    set_block(S, first, h * turn, slopes.by_a);
  });
  return slopes;
}

}  // namespace abut::dynamics
