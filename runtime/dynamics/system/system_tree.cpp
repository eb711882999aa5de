#include "runtime/dynamics/system/system_tree.h"

#include "runtime/core/error.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "runtime/math/adjoint.h"

namespace abut::dynamics {
namespace {

Eigen::Quaterniond read_quaternion(const VecX<double>& q, Eigen::Index at) {
  return Eigen::Quaterniond(q[at], q[at + 1], q[at + 2], q[at + 3]);
}

const Tree& require_small(const Tree& tree) {
  if (tree.nv() > kMaxTreeFreedoms)
    throw InvalidInput("system: " + std::to_string(tree.nv()) +
                       " degrees of freedom; with joints, or integrators that take joints, there can be " +
                       std::to_string(kMaxTreeFreedoms) +
                       "; take --integrator midpoint for piles without joints");
  return tree;
}

LinkInertia inertia_in_link(const Body& body, const Pose<double>& X_LB) {
  const Mat3<double> I = X_LB.R * body.inertia.asDiagonal() * X_LB.R.transpose();
  return {body.mass, X_LB.p, (I + I.transpose()) / 2};
}

}  // namespace

std::vector<Link> links_of(const Scene& scene) {
  std::vector<Link> links;
  for (const Body& body : scene.bodies) {
    Link& link = links.emplace_back();
    link.name = body.name;
    if (body.joint) {
      link.parent = body.joint->parent;
      link.joint = body.joint->joint;
      link.inertia = inertia_in_link(body, body.joint->X_LB);
    } else {
      link.joint.name = body.name;
      link.joint.type = JointType::kFree;
      link.inertia = inertia_in_link(body, {});
    }
  }
  return links;
}

SystemTree::SystemTree(const System& system)
    : system_(system),
      tree_(links_of(system.scene()), system.scene().gravity),
      mimics_(require_small(tree_)),
      independent_(mimics_.matrix()) {
  for (int i = 0; i < tree_.link_count(); ++i)
    link_of_dof_.resize(static_cast<std::size_t>(tree_.end_v(i)), i);
  for (std::size_t i = 0; i < system.body_count(); ++i)
    mass_ += tree_.last_dof(static_cast<int>(i)) >= 0 ? system.body(i).mass : 0;
}

void SystemTree::coordinates(const State& state, VecX<double>& q, VecX<double>& v) const {
  q.resize(tree_.nq());
  v.resize(tree_.nv());
  for (std::size_t i = 0; i < system_.body_count(); ++i) {
    const Body& body = system_.body(i);
    const int at_q = tree_.first_q(static_cast<int>(i)), at_v = tree_.first_v(static_cast<int>(i));
    if (body.joint) {
      const JointKind& kind = joint_kind(body.joint->joint.type);
      q.segment(at_q, kind.nq) = state.q.segment(system_.first_q(i), kind.nq);
      v.segment(at_v, kind.nv) = state.v.segment(system_.first_v(i), kind.nv);
      continue;
    }
    const BodyState& moving = state.bodies[i];
    const Eigen::Quaterniond to_B = moving.q_WB.conjugate();
    q.segment<7>(at_q) << moving.q_WB.w(), moving.q_WB.vec(), moving.p_WB;
    v.segment<3>(at_v) = body.inertia.cwiseInverse().cwiseProduct(to_B * moving.L_W);
    v.segment<3>(at_v + 3) = to_B * moving.v_WB;
  }
}

VecX<double> SystemTree::difference(const State& from, const State& to) const {
  VecX<double> q0, v0, q1, v1, dq;
  coordinates(from, q0, v0);
  coordinates(to, q1, v1);
  tree_.difference(q0, q1, dq);
  const std::vector<int>& places = mimics_.independent_velocities();
  VecX<double> x(2 * static_cast<Eigen::Index>(places.size()));
  x << dq(places), (v1 - v0)(places);
  return x;
}

void SystemTree::place(const VecX<double>& q, const VecX<double>& v, TreeScratch& scratch,
                       State& state) const {
  move_links<double>(tree_, q, v, VecX<double>::Zero(tree_.nv()), scratch);
  state.q.resize(system_.first_q(system_.body_count()));
  state.v.resize(system_.first_v(system_.body_count()));
  state.bodies.resize(system_.body_count());
  for (std::size_t i = 0; i < system_.body_count(); ++i) {
    const Body& body = system_.body(i);
    const auto link = static_cast<int>(i);
    const int at_q = tree_.first_q(link), at_v = tree_.first_v(link);
    BodyState& moving = state.bodies[i];
    const Pose<double> X_LB = pose_in_link(i), X_WB = pose_of_link(scratch, link) * X_LB;
    const Vec6<double> V_WB_B = adjoint(X_LB.inverse()) * twist_of_link(scratch, link);
    moving.p_WB = X_WB.p;
    moving.v_WB = X_WB.R * V_WB_B.tail<3>();
    moving.L_W = X_WB.R * body.inertia.cwiseProduct(V_WB_B.head<3>());
    if (body.joint) {
      const JointKind& kind = joint_kind(body.joint->joint.type);
      moving.q_WB = Eigen::Quaterniond(X_WB.R).normalized();
      state.q.segment(system_.first_q(i), kind.nq) = q.segment(at_q, kind.nq);
      state.v.segment(system_.first_v(i), kind.nv) = v.segment(at_v, kind.nv);
    } else {
      moving.q_WB = read_quaternion(q, at_q);
    }
  }
}

}  // namespace abut::dynamics
