#include "runtime/dynamics/system/system.h"

#include <cmath>
#include <string>

#include "runtime/core/error.h"

namespace abut::dynamics {
namespace {

constexpr double kUnitTolerance = 1e-9;  // of a quaternion's length

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
  data_ = std::move(data);
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
  return state;
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
      refuse(i, "has a quaternion of length " + std::to_string(length) + "; it must be 1");
  }
  for (std::size_t i = 0; i < state.impulses.size(); ++i) {
    const ContactImpulse& impulse = state.impulses[i];
    if (!impulse.J_B_W.allFinite())
      throw InvalidInput("state: impulse " + std::to_string(i) + " is not finite");
    if (impulse.key.shape_A >= shape_count() || impulse.key.shape_B >= shape_count())
      throw InvalidInput("state: impulse " + std::to_string(i) +
                         " is of shapes that the system does not have");
  }
}

void System::require_valid(const Control& control) const {
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
  return in_world(moving.q_WB, body(i).inertia.cwiseInverse()) * moving.L_W;
}

double System::kinetic_energy(const State& state, std::size_t i) const {
  const BodyState& moving = state.bodies[i];
  const Vec3<double> P = moving.q_WB.conjugate() * moving.L_W;
  return (body(i).mass * moving.v_WB.squaredNorm() + P.dot(body(i).inertia.cwiseInverse().cwiseProduct(P))) /
         2;
}

double System::potential_energy(const State& state, std::size_t i) const {
  return -body(i).mass * scene().gravity.dot(state.bodies[i].p_WB);
}

}  // namespace abut::dynamics
