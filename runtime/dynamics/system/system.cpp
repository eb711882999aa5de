#include "runtime/dynamics/system/system.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"
#include "runtime/dynamics/system/system_tree.h"
#include "runtime/dynamics/tree/joint.h"

namespace abut::dynamics {
namespace {

constexpr double kUnitTolerance = 1e-9;   // of a quaternion's length
constexpr double kMimicTolerance = 1e-6;  // rad or m, relative to 1 + the coordinate's magnitude

}  // namespace

bool finite(const BodyState& state) {
  return state.p_WB.allFinite() && state.q_WB.coeffs().allFinite() && state.v_WB.allFinite() &&
         state.L_W.allFinite();
}

System::System(Scene scene) {
  dynamics::require_valid(scene);
  auto data = std::make_shared<Data>();
  data->scene = std::move(scene);
  const auto add_body = [&](std::span<const Shape> shapes) {
    data->body_of_shape.resize(data->shapes.size() + shapes.size(), data->first_shape.size());
    data->first_shape.push_back(static_cast<std::int32_t>(data->shapes.size()));
    for (const Shape& shape : shapes) data->shapes.push_back(&shape);
  };
  for (const Shape& shape : data->scene.fixed) add_body({&shape, 1});
  for (const Body& body : data->scene.bodies) add_body(body.shapes);
  data->first_shape.push_back(static_cast<std::int32_t>(data->shapes.size()));
  add_joints(*data);
  add_contact_choices(*data);
  data_ = std::move(data);
  for (std::vector<std::int32_t>& bodies : jointed_bodies(data_->scene))
    SystemTree(*this, std::move(bodies), data_->scene.gravity);  // throws where the joints form no tree
}

void System::add_joints(Data& data) {
  data.joint_q.push_back(0);
  data.joint_v.push_back(0);
  for (const Body& body : data.scene.bodies) {
    const JointKind kind = body.joint ? joint_kind(body.joint->joint.type) : JointKind{};
    data.joint_q.push_back(data.joint_q.back() + kind.nq);
    data.joint_v.push_back(data.joint_v.back() + kind.nv);
    data.jointed = data.jointed || body.joint;
    data.grouped = data.grouped || body.group != 0;
    data.welded.push_back(
        body.joint && kind.nv == 0 &&
        (body.joint->parent < 0 || data.welded[static_cast<std::size_t>(body.joint->parent)]));
  }
}

// A class is identified by which names of the choices apply to its bodies.
void System::add_contact_choices(Data& data) {
  const std::vector<ContactChoice>& choices = data.scene.contacts;
  std::vector<std::vector<bool>> classes;  // [class][2 c]: A of choice c applies, [2 c + 1]: B does
  const auto add = [&](const auto& is_meant) {
    std::vector<bool> meant;
    for (const ContactChoice& choice : choices)
      for (const std::string& name : {choice.A, choice.B}) meant.push_back(is_meant(name));
    const auto known = std::find(classes.begin(), classes.end(), meant);
    data.contact_class.push_back(static_cast<std::size_t>(known - classes.begin()));
    if (known == classes.end()) classes.push_back(std::move(meant));
  };
  for (std::size_t k = 0; k < data.scene.fixed.size(); ++k)
    add([](const std::string& name) { return name == kWorld; });
  for (const Body& body : data.scene.bodies)
    add([&](const std::string& name) { return means(name, body.name); });
  data.contact_choice.assign(classes.size(), std::vector<std::int32_t>(classes.size(), -1));
  for (std::size_t a = 0; a < classes.size(); ++a)
    for (std::size_t b = 0; b < classes.size(); ++b)
      for (std::size_t c = 0; c < choices.size(); ++c)
        if ((classes[a][2 * c] && classes[b][2 * c + 1]) || (classes[b][2 * c] && classes[a][2 * c + 1]))
          data.contact_choice[a][b] = static_cast<std::int32_t>(c);
}

std::int32_t System::contact_choice(std::size_t placed_A, std::size_t placed_B) const {
  return data_->contact_choice[contact_class(placed_A)][contact_class(placed_B)];
}

bool System::may_meet(std::size_t placed_A, std::size_t placed_B) const {
  if (!has_joints() && scene().apart.empty() && !data_->grouped) return true;
  const std::size_t fixed = fixed_count();
  const auto welded = [&](std::size_t placed) { return placed < fixed || data_->welded[placed - fixed]; };
  if (welded(placed_A) && welded(placed_B)) return false;
  if (placed_A < fixed || placed_B < fixed) return true;
  const auto a = static_cast<std::int32_t>(placed_A - fixed), b = static_cast<std::int32_t>(placed_B - fixed);
  const Body &A = body(placed_A - fixed), &B = body(placed_B - fixed);
  if (A.group != 0 && A.group == B.group) return false;
  if ((A.joint && A.joint->parent == b) || (B.joint && B.joint->parent == a)) return false;
  return std::none_of(scene().apart.begin(), scene().apart.end(),
                      [&](const auto& pair) { return pair == std::pair(a, b) || pair == std::pair(b, a); });
}

State System::initial_state() const {
  State state;
  for (const Body& body : scene().bodies) {
    BodyState& moving = state.bodies.emplace_back();
    moving.p_WB = body.p_WB;
    moving.q_WB = Eigen::Quaterniond(body.q_WB[0], body.q_WB[1], body.q_WB[2], body.q_WB[3]).normalized();
    moving.v_WB = body.v_WB;
    moving.L_W = in_world(moving.q_WB, body.inertia) * body.w_WB_W;
  }
  if (has_joints()) place_joints(state);
  return state;
}

void System::place_joints(State& state) const {
  state.q.resize(first_q(body_count()));
  state.v = VecX<double>::Zero(first_v(body_count()));
  for (std::vector<std::int32_t>& bodies : jointed_bodies(scene())) {
    const SystemTree tree(*this, std::move(bodies), scene().gravity);
    const VecX<double> neutral = tree.tree().neutral();
    for (std::size_t link = 0; link < tree.bodies().size(); ++link) {
      if (!tree.body(link).joint) continue;
      const std::size_t i = tree.body_index(link);
      const BodyJoint& joint = *tree.body(link).joint;
      const JointKind& kind = joint_kind(joint.joint.type);
      auto q = state.q.segment(first_q(i), kind.nq);
      if (joint.q.size() > 0)
        q = joint.q;
      else
        q = neutral.segment(tree.tree().first_q(static_cast<int>(link)), kind.nq);
      if (joint.v.size() > 0) state.v.segment(first_v(i), kind.nv) = joint.v;
    }
    VecX<double> q, v;
    tree.coordinates(state, q, v);
    tree.mimics().obey(q);
    for (std::size_t link = 0; link < tree.bodies().size(); ++link) {
      const std::optional<BodyJoint>& joint = tree.body(link).joint;
      if (!joint || !joint->joint.mimic) continue;
      const auto require = [&](const VecX<double>& given, double wanted, const char* what) {
        if (given.size() > 0 && !(std::abs(given[0] - wanted) <= kMimicTolerance * (1 + std::abs(wanted))))
          throw InvalidInput("scene: joint '" + joint->joint.name + "' starts " + what +
                             number_text(given[0]) + ", and the joint that it mimics asks for " +
                             number_text(wanted));
      };
      require(joint->q, q[tree.tree().first_q(static_cast<int>(link))], "at ");
      require(joint->v, v[tree.tree().first_v(static_cast<int>(link))], "with a velocity of ");
    }
    tree.tree().require_valid(q);
    TreeScratch scratch(tree.tree());
    tree.place(q, v, scratch, state);
  }
}

State System::placed(const State& state) const {
  State result = state;
  if (!has_joints()) return result;
  State moved = state;
  VecX<double> q, v;
  for (std::vector<std::int32_t>& bodies : jointed_bodies(scene())) {
    const SystemTree tree(*this, std::move(bodies), scene().gravity);
    TreeScratch scratch(tree.tree());
    tree.coordinates(state, q, v);
    tree.place(q, v, scratch, moved);
    for (std::size_t link = 0; link < tree.bodies().size(); ++link)
      if (const std::size_t i = tree.body_index(link); tree.body(link).joint)
        result.bodies[i] = moved.bodies[i];
  }
  result.v = moved.v;  // of joints that mimic others, too
  return result;
}

void System::require_valid(const State& state) const {
  if (state.bodies.size() != body_count())
    throw InvalidInput("state: " + std::to_string(state.bodies.size()) + " states for " +
                       std::to_string(body_count()) + " bodies");
  const auto refuse = [&](std::size_t i, const std::string& what) {
    throw InvalidInput("state: that of body '" + body(i).name + "' " + what);
  };
  for (std::size_t i = 0; i < body_count(); ++i) {
    if (!finite(state.bodies[i])) refuse(i, "is not finite");
    const double length = state.bodies[i].q_WB.norm();
    if (!(std::abs(length - 1) <= kUnitTolerance))
      refuse(i, "has a quaternion of length " + number_text(length) + "; it must be 1");
  }
  require_valid_joints(state);
  for (std::size_t i = 0; i < state.impulses.size(); ++i) {
    const ContactImpulse& impulse = state.impulses[i];
    if (!impulse.J_B_W.allFinite())
      throw InvalidInput("state: impulse " + std::to_string(i) + " is not finite");
    if (impulse.key.shape_A >= shape_count() || impulse.key.shape_B >= shape_count())
      throw InvalidInput("state: impulse " + std::to_string(i) +
                         " is of shapes that the system does not have");
  }
}

void System::require_valid_joints(const State& state) const {
  if (state.q.size() != first_q(body_count()) || state.v.size() != first_v(body_count()))
    throw InvalidInput("state: " + std::to_string(state.q.size()) + " coordinates and " +
                       std::to_string(state.v.size()) + " velocities of joints for " +
                       std::to_string(first_q(body_count())) + " and " +
                       std::to_string(first_v(body_count())));
  for (std::size_t i = 0; i < body_count(); ++i) {
    if (!body(i).joint) continue;
    const Joint& joint = body(i).joint->joint;
    const JointKind& kind = joint_kind(joint.type);
    const auto refuse = [&](const std::string& what) {
      throw InvalidInput("state: joint '" + joint.name + "' " + what);
    };
    const auto q = state.q.segment(first_q(i), kind.nq);
    if (!q.allFinite() || !state.v.segment(first_v(i), kind.nv).allFinite()) refuse("is not finite");
    const bool turns = joint.type == JointType::kFree || joint.type == JointType::kSpherical;
    if (turns && !(std::abs(q.head<4>().norm() - 1) <= kUnitTolerance))
      refuse("has a quaternion of length " + number_text(q.head<4>().norm()) + "; it must be 1");
    if (!joint.mimic) continue;
    const double other = state.q[first_q(static_cast<std::size_t>(joint.mimic->link))];
    const double wanted = joint.mimic->multiplier * other + joint.mimic->offset;
    if (!(std::abs(q[0] - wanted) <= kMimicTolerance * (1 + std::abs(wanted))))
      refuse("is at " + number_text(q[0]) + ", and the joint that it mimics asks for " + number_text(wanted));
  }
}

void System::require_valid(const Control& control) const {
  const auto require_numbers = [](std::span<const double> numbers, Eigen::Index count, const char* what) {
    if (numbers.empty()) return;
    if (static_cast<Eigen::Index>(numbers.size()) != count)
      throw InvalidInput("control: " + std::to_string(numbers.size()) + " " + what + " for " +
                         std::to_string(count));
    if (!Eigen::Map<const VecX<double>>(numbers.data(), count).allFinite())
      throw InvalidInput(std::string("control: one of the ") + what + " is not finite");
  };
  require_numbers(control.joint_force, first_v(body_count()), "forces of joints");
  require_numbers(control.joint_target, first_q(body_count()), "targets of joints");
  if (control.F_BBcm_W.empty()) return;
  if (control.F_BBcm_W.size() != body_count())
    throw InvalidInput("control: " + std::to_string(control.F_BBcm_W.size()) + " wrenches for " +
                       std::to_string(body_count()) + " bodies");
  for (std::size_t i = 0; i < body_count(); ++i)
    if (!control.F_BBcm_W[i].allFinite())
      throw InvalidInput("control: the wrench on body '" + body(i).name + "' is not finite");
}

Vec3<double> System::angular_velocity(const State& state, std::size_t i) const {
  const BodyState& moving = state.bodies[i];
  if (!body(i).joint) return in_world(moving.q_WB, body(i).inertia.cwiseInverse()) * moving.L_W;
  // A link may have zero moments of inertia, so the velocity is summed over the joints that carry it.
  const BodyJoint& joint = *body(i).joint;
  const Vec3<double> w_parent = joint.parent < 0
                                    ? Vec3<double>(Vec3<double>::Zero())
                                    : angular_velocity(state, static_cast<std::size_t>(joint.parent));
  Vec3<double> w_L = Vec3<double>::Zero();  // the joint's contribution
  for (Eigen::Index k = first_v(i); k < first_v(i + 1); ++k) {
    const Vec6<double> axis_L = detail::visit_joint(joint.joint.type, [&]<class Row>(Row) {
      return Row::subspace(joint.joint.axis_J, static_cast<int>(k - first_v(i)));
    });
    w_L += axis_L.head<3>() * state.v[k];
  }
  if (w_L.isZero(0)) return w_parent;
  return w_parent + moving.q_WB * (joint.X_LB.R.transpose() * w_L);
}

double System::kinetic_energy(const State& state, std::size_t i) const {
  const BodyState& moving = state.bodies[i];
  const Vec3<double> P = moving.q_WB.conjugate() * moving.L_W;
  double turning = 0;  // where a link has no moment about an axis, it has no angular momentum about it
  for (int k = 0; k < 3; ++k)
    if (const double moment = body(i).inertia[k]; moment > 0) turning += P[k] * (P[k] / moment);
  double armature = 0;
  if (body(i).joint) {
    const auto v = state.v.segment(first_v(i), first_v(i + 1) - first_v(i));
    armature = body(i).joint->joint.armature * v.squaredNorm();
  }
  return (body(i).mass * moving.v_WB.squaredNorm() + turning + armature) / 2;
}

double System::potential_energy(const State& state, std::size_t i) const {
  return -body(i).mass * scene().gravity.dot(state.bodies[i].p_WB);
}

}  // namespace abut::dynamics
