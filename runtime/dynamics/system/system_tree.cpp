#include "runtime/dynamics/system/system_tree.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "runtime/core/disjoint_sets.h"
#include "runtime/core/error.h"
#include "runtime/dynamics/tree/kinematics.h"

namespace abut::dynamics {
namespace {

Eigen::Quaterniond read_quaternion(const VecX<double>& q, Eigen::Index at) {
  return Eigen::Quaterniond(q[at], q[at + 1], q[at + 2], q[at + 3]);
}

const Tree& require_small(const Tree& tree) {
  if (tree.nv() > kMaxTreeDofs)
    throw InvalidInput(
        "system: " + std::to_string(tree.nv()) +
        " degrees of freedom; bodies that joints connect, and all bodies for integrators other "
        "than midpoint, can have " +
        std::to_string(kMaxTreeDofs) + "; take --integrator midpoint for piles");
  return tree;
}

std::vector<std::int32_t> all_bodies(const Scene& scene) {
  std::vector<std::int32_t> bodies(scene.bodies.size());
  std::iota(bodies.begin(), bodies.end(), 0);
  return bodies;
}

LinkInertia inertia_in_link(const Body& body, const Pose<double>& X_LB) {
  const Mat3<double> I = X_LB.R * body.inertia.asDiagonal() * X_LB.R.transpose();
  return {body.mass, X_LB.p, (I + I.transpose()) / 2};
}

// Returns X_WL of the links of the bodies that fixed joints hold to the world; empty for others.
std::vector<std::optional<Pose<double>>> welded_links(const Scene& scene) {
  std::vector<std::optional<Pose<double>>> welded(scene.bodies.size());
  for (std::size_t i = 0; i < welded.size(); ++i) {
    const auto& joint = scene.bodies[i].joint;
    if (!joint || joint->joint.type != JointType::kFixed) continue;
    const auto parent = static_cast<std::size_t>(joint->parent);  // of the world: above any index
    if (joint->parent < 0)
      welded[i] = joint->joint.X_PJ;
    else if (parent < i && welded[parent])
      welded[i] = *welded[parent] * joint->joint.X_PJ;
  }
  return welded;
}

}  // namespace

std::vector<Link> links_of(const Scene& scene) { return links_of(scene, all_bodies(scene)); }

std::vector<Link> links_of(const Scene& scene, std::span<const std::int32_t> bodies) {
  // Maps a body to its link; an index that is not in `bodies` stays as it is, so that Tree rejects it.
  const auto link_of = [&](std::int32_t body) {
    const auto place = std::lower_bound(bodies.begin(), bodies.end(), body);
    return place != bodies.end() && *place == body ? static_cast<std::int32_t>(place - bodies.begin()) : body;
  };
  const std::vector<std::optional<Pose<double>>> welded = welded_links(scene);
  std::vector<Link> links;
  for (const std::int32_t index : bodies) {
    const Body& body = scene.bodies[static_cast<std::size_t>(index)];
    Link& link = links.emplace_back();
    link.name = body.name;
    if (body.joint) {
      const std::int32_t parent = body.joint->parent;
      link.joint = body.joint->joint;
      if (parent >= 0 && parent < index && welded[static_cast<std::size_t>(parent)])
        link.joint.X_PJ = *welded[static_cast<std::size_t>(parent)] * link.joint.X_PJ;
      else
        link.parent = link_of(parent);
      if (link.joint.mimic) link.joint.mimic->link = link_of(link.joint.mimic->link);
      link.inertia = inertia_in_link(body, body.joint->X_LB);
    } else {
      link.joint.name = body.name;
      link.joint.type = JointType::kFree;
      link.inertia = inertia_in_link(body, {});
    }
  }
  return links;
}

namespace {

// Returns groups of bodies that joints connect, ascending, ordered by their first body. Joints to parents
// that are `apart` do not connect.
std::vector<std::vector<std::int32_t>> connected(const Scene& scene,
                                                 const std::vector<std::optional<Pose<double>>>& apart) {
  const auto count = static_cast<std::int32_t>(scene.bodies.size());
  DisjointSets sets(scene.bodies.size());
  const auto join = [&](std::int32_t a, std::int32_t b) {
    if (b >= 0 && b < count) sets.join(a, b);
  };
  std::vector<std::uint8_t> jointed(scene.bodies.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const Body& body = scene.bodies[static_cast<std::size_t>(i)];
    if (!body.joint) continue;
    const std::int32_t parent = body.joint->parent;
    jointed[static_cast<std::size_t>(i)] = 1;
    if (parent >= count || parent < 0 || !apart[static_cast<std::size_t>(parent)]) join(i, parent);
    if (body.joint->joint.mimic) join(i, body.joint->joint.mimic->link);
  }
  std::vector<std::vector<std::int32_t>> groups(scene.bodies.size());
  for (std::int32_t i = 0; i < count; ++i) groups[static_cast<std::size_t>(sets.least(i))].push_back(i);
  std::erase_if(groups, [&](const auto& members) {
    return members.empty() || (members.size() == 1 && jointed[static_cast<std::size_t>(members[0])] == 0);
  });
  return groups;
}

}  // namespace

std::vector<std::vector<std::int32_t>> jointed_bodies(const Scene& scene) {
  return connected(scene, std::vector<std::optional<Pose<double>>>(scene.bodies.size()));
}

std::vector<std::vector<std::int32_t>> moving_trees(const Scene& scene) {
  const std::vector<std::optional<Pose<double>>> welded = welded_links(scene);
  std::vector<std::vector<std::int32_t>> trees = connected(scene, welded);
  std::erase_if(trees, [&](const auto& members) { return welded[static_cast<std::size_t>(members[0])]; });
  return trees;
}

SystemTree::SystemTree(const System& system)
    : SystemTree(system, all_bodies(system.scene()), system.scene().gravity) {}

SystemTree::SystemTree(const System& system, std::vector<std::int32_t> bodies, const Vec3<double>& gravity)
    : system_(system),
      bodies_(std::move(bodies)),
      tree_(links_of(system.scene(), bodies_), gravity),
      mimics_(require_small(tree_)),
      independent_(mimics_.matrix()) {
  for (int i = 0; i < tree_.link_count(); ++i)
    link_of_dof_.resize(static_cast<std::size_t>(tree_.end_v(i)), i);
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    mass_ += tree_.last_dof(static_cast<int>(i)) >= 0 ? body(i).mass : 0;
}

void SystemTree::coordinates(const State& state, VecX<double>& q, VecX<double>& v) const {
  q.resize(tree_.nq());
  v.resize(tree_.nv());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const std::size_t index = body_index(i);
    const Body& body = system_.body(index);
    const int at_q = tree_.first_q(static_cast<int>(i)), at_v = tree_.first_v(static_cast<int>(i));
    if (body.joint) {
      const JointKind& kind = joint_kind(body.joint->joint.type);
      q.segment(at_q, kind.nq) = state.q.segment(system_.first_q(index), kind.nq);
      v.segment(at_v, kind.nv) = state.v.segment(system_.first_v(index), kind.nv);
      continue;
    }
    const BodyState& moving = state.bodies[index];
    const Eigen::Quaterniond to_B = moving.q_WB.conjugate();
    q.segment<7>(at_q) << moving.q_WB.w(), moving.q_WB.vec(), moving.p_WB;
    v.segment<3>(at_v) = body.inertia.cwiseInverse().cwiseProduct(to_B * moving.L_W);
    v.segment<3>(at_v + 3) = to_B * moving.v_WB;
  }
  mimics_.obey_velocities(v);
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
  move_links<double>(tree_, q, v, scratch);
  fill(q, v, scratch, state);
}

void SystemTree::fill(const VecX<double>& q, const VecX<double>& v, const TreeScratch& scratch,
                      State& state) const {
  state.q.resize(system_.first_q(system_.body_count()));
  state.v.resize(system_.first_v(system_.body_count()));
  state.bodies.resize(system_.body_count());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const std::size_t index = body_index(i);
    const Body& body = system_.body(index);
    const auto link = static_cast<int>(i);
    const int at_q = tree_.first_q(link), at_v = tree_.first_v(link);
    BodyState& moving = state.bodies[index];
    const Pose<double> X_LB = pose_in_link(i), X_WL = pose_of_link(scratch, link), X_WB = X_WL * X_LB;
    const Vec6<double> V_L = twist_of_link(scratch, link);
    const Vec3<double> w_B = X_LB.R.transpose() * V_L.head<3>();
    moving.p_WB = X_WB.p;
    moving.v_WB = X_WL.R * (V_L.tail<3>() + V_L.head<3>().cross(X_LB.p));
    moving.L_W = X_WB.R * body.inertia.cwiseProduct(w_B);
    if (body.joint) {
      const JointKind& kind = joint_kind(body.joint->joint.type);
      moving.q_WB = Eigen::Quaterniond(X_WB.R).normalized();
      state.q.segment(system_.first_q(index), kind.nq) = q.segment(at_q, kind.nq);
      state.v.segment(system_.first_v(index), kind.nv) = v.segment(at_v, kind.nv);
    } else {
      moving.q_WB = read_quaternion(q, at_q);
    }
  }
}

}  // namespace abut::dynamics
