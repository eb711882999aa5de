#pragma once

#include <numbers>

#include <abut/dynamics/system/robot.h>

#include "grasp.h"

// Hands for grasp.cpp: bodies of a scene, and where their fingertips are.
namespace grasp {

using namespace abut;
using namespace abut::dynamics;

// Appends a link that hangs on another one, with balls of a radius along its y axis, m.
inline int add_link(Scene& scene, int parent, const Joint& joint, const std::vector<double>& balls,
                    double radius) {
  const LinkInertia inertia{0.02, Vec3<double>::Zero(), 1e-5 * Mat3<double>::Identity()};
  Body& body = scene.bodies.emplace_back(link_body({joint.name, parent, joint, inertia}));
  body.group = 1;
  for (const double y : balls)
    body.shapes.push_back({body::Geometry(body::Sphere<double>{radius}),
                           body.joint->X_LB.inverse() * Pose<double>{Mat3<double>::Identity(), {0, y, 0}}});
  return static_cast<int>(scene.bodies.size()) - 1;
}

// A palm that moves freely, four fingers beside one another and a thumb, four joints each: they point along
// y of the palm and away from it, and close towards -z.
inline void add_hand(Scene& scene, const Pose<double>& X_WP, Problem& problem) {
  constexpr double kLengths[] = {0.045, 0.03, 0.025}, kRadius = 0.007;  // m
  Joint free;
  free.name = "palm";
  free.type = JointType::kFree;
  free.X_PJ = X_WP;
  const int palm = add_link(scene, -1, free, {}, 0);
  for (int f = 0; f < 5; ++f) {
    Joint joint;
    joint.name = "finger " + std::to_string(f);
    joint.type = JointType::kRevolute;
    joint.X_PJ.p = {0.022 * (f - 1.5), 0.035, 0};
    if (f == 4) joint.X_PJ = {exp_rotation<double>({0, 0, std::numbers::pi}), {0, -0.035, 0}};
    int link = add_link(scene, palm, joint, {}, 0);
    joint.axis_J = -Vec3<double>::UnitX();
    joint.X_PJ = {};
    for (const double length : kLengths) {
      joint.name += '+';
      link = add_link(scene, link, joint, {length / 2, length}, kRadius);
      scene.bodies.back().joint->q = VecX<double>::Constant(1, 0.5);
      joint.X_PJ.p = {0, length, 0};
    }
    problem.tips.push_back(
        {static_cast<std::size_t>(link), scene.bodies.back().shapes.back().X_BS.p, Vec3<double>::Zero()});
  }
}

inline void add_franka(Scene& scene, const char* file, Problem& problem) {
  const auto unseen = [](const Mesh&) { return body::Geometry(body::Sphere<double>{0.01}); };
  add_robot(scene, "fer", read_urdf(file), {}, unseen);
  const double start[] = {0, -0.4, 0, -2.2, 0, 1.8, 0.785};  // rad: the hand points down
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    BodyJoint& joint = *scene.bodies[i].joint;
    if (joint.joint.type == JointType::kRevolute)
      joint.q = VecX<double>::Constant(1, start[joint.joint.name.back() - '1']);
    if (joint.joint.type != JointType::kPrismatic) continue;
    joint.q = VecX<double>::Constant(1, 0.02);
    problem.tips.push_back(
        {i, joint.X_LB.inverse() * Vec3<double>(0, 0, 0.04525), Vec3<double>::Zero()});  // middle of a pad
  }
}

}  // namespace grasp
