#pragma once

#include <string>
#include <vector>

#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/robot.h"
#include "runtime/dynamics/system/system_tree.h"
#include "tests/support/random_trees.h"

// Scenes of random trees and boxes, for tests of joints under rigid contact.
namespace abut::test {

using namespace abut::dynamics;
using enum dynamics::JointType;

inline const Vec3<double> kGravity{0, 0, -9.81};  // m/s^2

inline Shape box_shape(const Vec3<double>& half) {
  return {body::Geometry(body::Box<double>{half}), {}, {.friction = 0.5}};
}
inline Shape floor_at(double height) {
  Shape shape{body::Geometry(body::HalfSpace<double>{}), {}, {.friction = 0.5}};
  shape.X_BS.p.z() = height;
  return shape;
}

inline Body free_box(const std::string& name, const Vec3<double>& half, double mass,
                     const Vec3<double>& p_WB) {
  Body body;
  body.name = name;
  body.mass = mass;
  const Vec3<double> square = half.cwiseAbs2();
  body.inertia =
      mass / 3 * Vec3<double>(square.y() + square.z(), square.z() + square.x(), square.x() + square.y());
  body.p_WB = p_WB;
  body.shapes.push_back(box_shape(half));
  return body;
}

// Bodies of random links, each a box.
inline std::vector<Body> random_tree(unsigned seed, const std::vector<JointType>& types, bool floats) {
  TreeSource random(seed);
  std::vector<Body> bodies;
  for (Link link : random.links(types)) {
    if (floats && !bodies.empty()) link.parent = std::max(link.parent, 0);
    if (floats && bodies.empty()) link.joint.armature = 0;
    link.joint.X_PJ.p *= 0.5;
    Body& body = bodies.emplace_back(link_body(link));
    body.shapes.push_back(box_shape({0.08, 0.06, 0.05}));
    body.group = static_cast<std::int32_t>(seed);
  }
  return bodies;
}

inline void add(Scene& scene, std::vector<Body> bodies, const Vec3<double>& p_W = Vec3<double>::Zero()) {
  const auto first = static_cast<std::int32_t>(scene.bodies.size());
  for (Body& body : bodies) {
    body.name += "/" + std::to_string(first);
    body.joint->joint.name += "/" + std::to_string(first);
    if (body.joint->parent >= 0)
      body.joint->parent += first;
    else
      body.joint->joint.X_PJ.p += p_W;
    scene.bodies.push_back(body);
  }
}

inline State random_state(const System& system, unsigned seed, double speed) {
  TreeSource random(seed);
  const SystemTree coordinates(system);
  VecX<double> q = random.coordinates(coordinates.tree()), v;
  coordinates.mimics().obey(q);
  v = coordinates.mimics().velocities(random.numbers(coordinates.mimics().nv(), speed));
  TreeScratch scratch(coordinates.tree());
  State state;
  coordinates.place(q, v, scratch, state);
  return state;
}

inline double energy(const StepReport& report) { return report.kinetic + report.potential; }

// (Angular momentum about the world's origin; momentum), from what bodies say.
inline Vec6<double> momentum(const System& system, const State& state) {
  Vec6<double> sum = Vec6<double>::Zero();
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    const Vec3<double> p = system.body(i).mass * state.bodies[i].v_WB;
    sum.head<3>() += state.bodies[i].L_W + state.bodies[i].p_WB.cross(p);
    sum.tail<3>() += p;
  }
  return sum;
}

}  // namespace abut::test
