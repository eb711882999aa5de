#pragma once

#include "runtime/core/error.h"
#include "runtime/dynamics/tree/joint.h"
#include "runtime/dynamics/tree/scratch.h"

// Steps that the recursions over a tree have in common. The frame C is defined in scratch.h.
namespace abut::dynamics::detail {

// Throws InvalidInput unless `size` is what the tree needs.
inline void require_size(const char* what, Eigen::Index size, int wanted) {
  if (size != wanted)
    throw InvalidInput("tree: " + std::to_string(size) + " numbers for " + std::to_string(wanted) + " " +
                       what);
}

template <class S>
typename BasicTreeScratch<S>::Link& at(BasicTreeScratch<S>& scratch, int link) {
  return scratch.links[static_cast<std::size_t>(link)];
}
template <class S>
typename BasicTreeScratch<S>::Dof& dof(BasicTreeScratch<S>& scratch, int d) {
  return scratch.dofs[static_cast<std::size_t>(d)];
}

// Computes the pose of a revolute joint's link and the joint's axis. X_CP is the identity where P is the
// world.
template <class S>
void turn_link(const Tree& tree, int i, const Pose<S>& X_CP, S angle, BasicTreeScratch<S>& scratch) {
  using std::cos, std::sin;
  const Tree::Turn& turn = tree.turn(i);
  const Mat3<S> R_PL = turn.fixed.template cast<S>() + cos(angle) * turn.cosine.template cast<S>() +
                       sin(angle) * turn.sine.template cast<S>();
  Pose<S>& X_CL = at(scratch, i).X_CL;
  X_CL.R.noalias() = X_CP.R.lazyProduct(R_PL);
  X_CL.p = X_CP * Vec3<S>(tree.link(i).joint.X_PJ.p.template cast<S>());
  const Vec3<S> axis = X_CP.R * turn.axis_P.template cast<S>();
  // At a branch's root the origin of C is that of L, and the axis passes through it.
  const bool at_root = tree.link(i).parent < 0;
  Vec6<S>& twist = dof(scratch, tree.first_v(i)).axis;
  twist.template head<3>() = axis;
  twist.template tail<3>() = at_root ? Vec3<S>::Zero().eval() : X_CL.p.cross(axis).eval();
}

// Does the same for a prismatic joint.
template <class S>
void slide_link(const Tree& tree, int i, const Pose<S>& X_CP, S shift, BasicTreeScratch<S>& scratch) {
  const Joint& joint = tree.link(i).joint;
  const Vec3<S> axis_P = tree.turn(i).axis_P.template cast<S>();
  Pose<S>& X_CL = at(scratch, i).X_CL;
  X_CL.R.noalias() = X_CP.R.lazyProduct(joint.X_PJ.R.template cast<S>());
  X_CL.p = X_CP * Vec3<S>(joint.X_PJ.p.template cast<S>() + axis_P * shift);
  Vec6<S>& twist = dof(scratch, tree.first_v(i)).axis;
  twist.template head<3>().setZero();
  twist.template tail<3>().noalias() = X_CP.R.lazyProduct(axis_P);
}

// Does the same for any other joint.
template <class S>
void place_joint(const Tree& tree, int i, const Pose<S>& X_CP, const S* q, BasicTreeScratch<S>& scratch) {
  const Joint& joint = tree.link(i).joint;
  Pose<S>& X_CL = at(scratch, i).X_CL;
  const Pose<S> X_CJ = X_CP * joint.X_PJ.cast<S>();
  X_CL =
      X_CJ * visit_joint(joint.type, [&]<class Row>(Row) { return Row::template pose<S>(joint.axis_J, q); });
  const Vec3<S> p = tree.link(i).parent < 0 ? Vec3<S>::Zero().eval() : X_CL.p;
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
    const Vec6<S> axis_L = tree.subspace(d).cast<S>();
    const Vec3<S> w = X_CL.R * axis_L.template head<3>();
    dof(scratch, d).axis << w, X_CL.R * axis_L.template tail<3>() + p.cross(w);
  }
}

// Computes the pose of link i and the axes of its joint, given the parent's pose.
template <class S>
void place_link(const Tree& tree, int i, const S* q, BasicTreeScratch<S>& scratch) {
  const Link& link = tree.link(i);
  auto& here = at(scratch, i);
  static const Pose<S> kIdentity;
  const Pose<S>& X_CP = link.parent < 0 ? kIdentity : at(scratch, link.parent).X_CL;
  if (link.joint.type == JointType::kRevolute)
    turn_link(tree, i, X_CP, q[tree.first_q(i)], scratch);
  else if (link.joint.type == JointType::kPrismatic)
    slide_link(tree, i, X_CP, q[tree.first_q(i)], scratch);
  else
    place_joint(tree, i, X_CP, q + tree.first_q(i), scratch);
  if (link.parent < 0) {
    here.p_WC = here.X_CL.p;
    here.X_CL.p.setZero();
  } else {
    here.p_WC = at(scratch, link.parent).p_WC;
  }
}

// Computes the twist of link i in C, given the parent's.
template <class S>
void twist_link(const Tree& tree, int i, const S* v, BasicTreeScratch<S>& scratch) {
  auto& here = at(scratch, i);
  here.V_PL.setZero();
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) here.V_PL += dof(scratch, d).axis * v[d];
  const int parent = tree.link(i).parent;
  here.V = here.V_PL;
  if (parent >= 0) here.V += at(scratch, parent).V;
}

// Computes the rate of that twist, A_P + S a + V x S v, given the parent's A_P; `A_W` is that of the world.
template <class S>
void accelerate_link(const Tree& tree, int i, const S* a, const Vec6<S>& A_W, BasicTreeScratch<S>& scratch) {
  auto& here = at(scratch, i);
  const int parent = tree.link(i).parent;
  here.A = (parent >= 0 ? at(scratch, parent).A : A_W) + cross_motion(here.V, here.V_PL);
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) here.A += dof(scratch, d).axis * a[d];
}

// Computes the inertia of link i in C, given its pose.
template <class S>
void weigh_link(const Tree& tree, int i, BasicTreeScratch<S>& scratch) {
  auto& here = at(scratch, i);
  const LinkInertia& inertia = tree.link(i).inertia;
  here.inertia =
      inertia_seen_from<S>(here.X_CL, S(inertia.mass), inertia.p_LLcm.cast<S>(), inertia.I_LLcm_L.cast<S>());
}

// Computes poses, twists and inertias of all links.
template <class S>
void set_state(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch) {
  require_size("coordinates", q.size(), tree.nq());
  require_size("velocities", v.size(), tree.nv());
  for (int i = 0; i < tree.link_count(); ++i) {
    place_link(tree, i, q.data(), scratch);
    twist_link(tree, i, v.data(), scratch);
    weigh_link(tree, i, scratch);
  }
}

// Returns the acceleration of the world that has the same effect on the links as gravity.
template <class S>
Vec6<S> gravity_as_acceleration(const Tree& tree) {
  Vec6<S> A_W = Vec6<S>::Zero();
  A_W.template tail<3>() = -tree.gravity().cast<S>();
  return A_W;
}

}  // namespace abut::dynamics::detail
