#include "runtime/dynamics/tree/hessian_products.h"

#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/recursions.h"

// With W = sum of axis_d weights_d over the degrees of freedom that carry a link, f = weights' tau is the sum
// of W.F over the links. As in derivatives.cpp, a unit tangent s of the joint of link J changes twist and
// acceleration of all links K that J carries by psi_dot = V_P x s and psi_ddot = A_P x s + V_P x psi_dot, in
// axes that move along; relative to the axes of the joints that carry J, the force on J changes by s x* F. So
//   df/dq = psi_ddot.IW + psi_dot.Y + W_P.(s x* F),   df/dv = (psi_dot + V_J x s).IW + s.Y,   df/da = s.IW
// with F, IW and Y summed over the links K, and Y = (2 B)' W = V x* IW - W x* IV - I (V x W). Because
// (V x s).F = -s.(V x* F), each of them is the product of s and one force of the link:
//   df/dq = -s.(A_P x* IW + V_P x* Z + W_P x* F),   Z = Y - V_P x* IW,   df/dv = s.(Z - V x* IW).
// In axes that move with the links s and I are constant, and the rates follow from the product rule.
//
// For forward dynamics, where tau(q, v, a) = tau: with m = M^-1 weights, the gradient of weights' a by (q, v)
// is minus that of m' tau(q, v, a), and by tau it is m. The rates of a and m that this needs are those that
// keep tau(q, v, a) = tau and M m = weights: M^-1 times the residual rates of both equations with a and m
// held constant.
namespace abut::dynamics {
namespace {

using detail::at;
using detail::dof;
using detail::Moving;

// A number for each degree of freedom, (nv), and their rates along the direction, (nv).
template <class S>
struct Input {
  const S *value, *rate;
};
template <class S>
struct Motion {
  const S* dq;
  Input<S> v, a, weights;
};

template <class S>
typename BasicTreeScratch<S>::Product& product_at(BasicTreeScratch<S>& scratch, int link) {
  return scratch.products[static_cast<std::size_t>(link)];
}

// Sum of axis_d of.value[d] over the degrees of freedom of link i's joint, and its rate.
template <class S>
Moving<S> joint_twist(const Tree& tree, int i, const Input<S>& of, BasicTreeScratch<S>& scratch) {
  Moving<S> sum;
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
    sum.value += dof(scratch, d).axis * of.value[d];
    sum.rate += dof(scratch, d).axis * of.rate[d];
  }
  return sum;
}

// Convert rates between moving axes: of a motion vector from the parent's to the link's, and of a force from
// the link's to the parent's.
template <class S>
Moving<S> in_link(const Moving<S>& m, const Vec6<S>& turn) {
  return {m.value, m.rate - detail::cross_motion(turn, m.value)};
}
template <class S>
Moving<S> in_parent(const Moving<S>& F, const Vec6<S>& turn) {
  return {F.value, F.rate + detail::cross_force(turn, F.value)};
}

// Computes `products` of link i only, given its pose, axes and inertia and the parent's motion.
template <class S>
void move_link(const Tree& tree, int i, const Motion<S>& motion, BasicTreeScratch<S>& scratch) {
  auto& here = product_at(scratch, i);
  here.turn.setZero();
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) here.turn += dof(scratch, d).axis * motion.dq[d];
  if (const int parent = tree.link(i).parent; parent >= 0) {
    const auto& below = product_at(scratch, parent);
    here.V_P = in_link(below.V, here.turn);
    here.A_P = in_link(below.A, here.turn);
    here.W_P = in_link(below.W, here.turn);
  } else {
    here.A_P = in_link<S>({detail::gravity_as_acceleration<S>(tree), Vec6<S>::Zero()}, here.turn);
  }
  const Moving<S> V_PL = joint_twist(tree, i, motion.v, scratch);
  here.V = here.V_P + V_PL;
  here.A = here.A_P + joint_twist(tree, i, motion.a, scratch) + detail::cross_motion(here.V, V_PL);
  here.W = here.W_P + joint_twist(tree, i, motion.weights, scratch);
  const auto& I = at(scratch, i).inertia;
  const Moving<S> momentum = I * here.V;
  here.F = I * here.A + detail::cross_force(here.V, momentum);
  here.IW = I * here.W;
  here.Y = detail::cross_force(here.V, here.IW) - detail::cross_force(here.W, momentum) -
           I * detail::cross_motion(here.V, here.W);
}

// Computes gradient and product by the joint of link i, whose F, IW and Y are complete, and adds these to the
// parent's. The product by a assumes constant weights.
template <class S>
void differentiate_joint(const Tree& tree, int i, const Motion<S>& motion, BasicTreeScratch<S>& scratch) {
  const auto& here = product_at(scratch, i);
  const Moving<S> Z = here.Y - detail::cross_force(here.V_P, here.IW);
  const Moving<S> less_by_q = detail::cross_force(here.A_P, here.IW) + detail::cross_force(here.V_P, Z) +
                              detail::cross_force(here.W_P, here.F);
  const Moving<S> by_v = Z - detail::cross_force(here.V, here.IW);
  const int n = tree.nv();
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
    const Vec6<S>& axis = dof(scratch, d).axis;
    scratch.gradient[d] = -axis.dot(less_by_q.value);
    scratch.gradient[n + d] = axis.dot(by_v.value);
    scratch.gradient[2 * n + d] =
        axis.dot(here.IW.value) + S(tree.link(i).joint.armature) * motion.weights.value[d];
    scratch.hessian_product[d] = -axis.dot(less_by_q.rate);
    scratch.hessian_product[n + d] = axis.dot(by_v.rate);
    scratch.hessian_product[2 * n + d] = axis.dot(here.IW.rate);
  }
  const int parent = tree.link(i).parent;
  if (parent < 0) return;
  auto& below = product_at(scratch, parent);
  below.F += in_parent(here.F, here.turn);
  below.IW += in_parent(here.IW, here.turn);
  below.Y += in_parent(here.Y, here.turn);
}

// Computes gradient and product, given poses and inertias of the links in scratch.
template <class S>
void differentiate(const Tree& tree, const Motion<S>& motion, BasicTreeScratch<S>& scratch) {
  for (int i = 0; i < tree.link_count(); ++i) move_link(tree, i, motion, scratch);
  for (int i = tree.link_count(); i-- > 0;) differentiate_joint(tree, i, motion, scratch);
}

// Computes x = M^-1 x in place with the articulated inertias of forward_dynamics: the part of that algorithm
// that is linear in tau. Overwrites F and A of scratch.products.
template <class S>
void solve_articulated(const Tree& tree, VecX<S>& x, BasicTreeScratch<S>& scratch) {
  for (auto& product : scratch.products) product.F.value.setZero();
  for (int i = tree.link_count(); i-- > 0;) {
    Vec6<S>& F = product_at(scratch, i).F.value;
    for (int d = tree.end_v(i); d-- > tree.first_v(i);) {
      const auto& joint = dof(scratch, d);
      x[d] -= joint.axis.dot(F);
      F += joint.U * (joint.inverse_D * x[d]);
    }
    if (const int parent = tree.link(i).parent; parent >= 0) product_at(scratch, parent).F.value += F;
  }
  for (int i = 0; i < tree.link_count(); ++i) {
    Vec6<S>& A = product_at(scratch, i).A.value;
    const int parent = tree.link(i).parent;
    A = parent >= 0 ? product_at(scratch, parent).A.value : Vec6<S>::Zero().eval();
    for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
      const auto& joint = dof(scratch, d);
      x[d] = (x[d] - joint.U.dot(A)) * joint.inverse_D;
      A += joint.axis * x[d];
    }
  }
}

// Computes the rates of a and of M^-1 weights, after forward_dynamics. In `held` both rates are zero.
template <class S>
void solve_rates(const Tree& tree, const Motion<S>& held, const S* dtau, BasicTreeScratch<S>& scratch) {
  for (int i = 0; i < tree.link_count(); ++i) move_link(tree, i, held, scratch);
  for (int i = tree.link_count(); i-- > 0;) {
    const auto& here = product_at(scratch, i);
    for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
      scratch.acceleration_rate[d] = dtau[d] - dof(scratch, d).axis.dot(here.F.rate);
      scratch.weights_rate[d] = -dof(scratch, d).axis.dot(here.IW.rate);
    }
    const int parent = tree.link(i).parent;
    if (parent < 0) continue;
    product_at(scratch, parent).F += in_parent(here.F, here.turn);
    product_at(scratch, parent).IW += in_parent(here.IW, here.turn);
  }
  solve_articulated(tree, scratch.acceleration_rate, scratch);
  solve_articulated(tree, scratch.weights_rate, scratch);
}

}  // namespace

template <class S>
const VecX<S>& inverse_dynamics_hessian_product(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                                InVec<S> weights, InVec<S> direction,
                                                BasicTreeScratch<S>& scratch) {
  const int n = tree.nv();
  detail::require_size("accelerations", a.size(), n);
  detail::require_size("weights", weights.size(), n);
  detail::require_size("entries of the direction", direction.size(), 3 * n);
  detail::set_state<S>(tree, q, v, scratch);
  const S* const dx = direction.data();
  differentiate<S>(
      tree, {dx, {v.data(), dx + n}, {a.data(), dx + 2 * n}, {weights.data(), scratch.none.data()}}, scratch);
  return scratch.hessian_product;
}

template <class S>
const VecX<S>& forward_dynamics_hessian_product(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                                InVec<S> weights, InVec<S> direction,
                                                BasicTreeScratch<S>& scratch) {
  const int n = tree.nv();
  detail::require_size("weights", weights.size(), n);
  detail::require_size("entries of the direction", direction.size(), 3 * n);
  forward_dynamics<S>(tree, q, v, tau, scratch);
  scratch.solved_weights = weights;
  solve_articulated(tree, scratch.solved_weights, scratch);
  const S *const dx = direction.data(), *const none = scratch.none.data();
  Motion<S> motion{
      dx, {v.data(), dx + n}, {scratch.acceleration.data(), none}, {scratch.solved_weights.data(), none}};
  solve_rates(tree, motion, dx + 2 * n, scratch);
  motion.a.rate = scratch.acceleration_rate.data();
  motion.weights.rate = scratch.weights_rate.data();
  differentiate(tree, motion, scratch);
  scratch.gradient.head(2 * n) *= S(-1);
  scratch.gradient.tail(n) = scratch.solved_weights;
  scratch.hessian_product.head(2 * n) *= S(-1);
  scratch.hessian_product.tail(n) = scratch.weights_rate;
  return scratch.hessian_product;
}

#define ABUT_INSTANTIATE(S)                                                                           \
  template const VecX<S>& inverse_dynamics_hessian_product(const Tree&, InVec<S>, InVec<S>, InVec<S>, \
                                                           InVec<S>, InVec<S>, BasicTreeScratch<S>&); \
  template const VecX<S>& forward_dynamics_hessian_product(const Tree&, InVec<S>, InVec<S>, InVec<S>, \
                                                           InVec<S>, InVec<S>, BasicTreeScratch<S>&);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

}  // namespace abut::dynamics
