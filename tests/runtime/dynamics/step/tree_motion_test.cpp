// Bodies on joints under rigid contact: the integrator midpoint with the coupled solver.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/robot.h"
#include "runtime/dynamics/system/system_tree.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "tests/support/random_trees.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using enum JointType;

const Vec3<double> kGravity{0, 0, -9.81};  // m/s^2

Shape box_shape(const Vec3<double>& half) {
  return {body::Geometry(body::Box<double>{half}), {}, {.friction = 0.5}};
}
Shape floor_at(double height) {
  Shape shape{body::Geometry(body::HalfSpace<double>{}), {}, {.friction = 0.5}};
  shape.X_BS.p.z() = height;
  return shape;
}

Body free_box(const std::string& name, const Vec3<double>& half, double mass, const Vec3<double>& p_WB) {
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
std::vector<Body> random_tree(unsigned seed, const std::vector<JointType>& types, bool floats) {
  test::TreeSource random(seed);
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

void add(Scene& scene, std::vector<Body> bodies, const Vec3<double>& p_W = Vec3<double>::Zero()) {
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

State random_state(const System& system, unsigned seed, double speed) {
  test::TreeSource random(seed);
  const SystemTree coordinates(system);
  VecX<double> q = random.coordinates(coordinates.tree()), v;
  coordinates.mimics().obey(q);
  v = coordinates.mimics().velocities(random.numbers(coordinates.mimics().nv(), speed));
  TreeScratch scratch(coordinates.tree());
  State state;
  coordinates.place(q, v, scratch, state);
  return state;
}

double energy(const StepReport& report) { return report.kinetic + report.potential; }

// (Angular momentum about the world's origin; momentum), from what bodies say.
Vec6<double> momentum(const System& system, const State& state) {
  Vec6<double> sum = Vec6<double>::Zero();
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    const Vec3<double> p = system.body(i).mass * state.bodies[i].v_WB;
    sum.head<3>() += state.bodies[i].L_W + state.bodies[i].p_WB.cross(p);
    sum.tail<3>() += p;
  }
  return sum;
}

TEST(TreeMotion, ATreeThatFloatsKeepsEnergyMomentaAndTheWayOfItsCentreOfMass) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Scene scene;
    add(scene, random_tree(seed, {kFree, kRevolute, kSpherical, kPrismatic, kRevolute, kPlanar}, true));
    for (Body& body : scene.bodies) body.joint->joint.armature = 0;
    Simulation simulation(scene, {.dt = 4e-3});
    const System& system = simulation.system();
    simulation.restore(random_state(system, seed, 2), 0);
    const double kinetic = simulation.report().kinetic;
    const Vec6<double> start = momentum(system, simulation.state());
    double worst = 0;
    for (int k = 0; k < 500; ++k) worst = std::max(worst, std::abs(simulation.step().kinetic - kinetic));
    EXPECT_LT(worst, 1e-9 * kinetic) << seed;
    EXPECT_LT((momentum(system, simulation.state()) - start).norm(), 1e-10 * start.norm()) << seed;
  }
}

// The share of its greatest kinetic energy that a tree without friction loses in a second.
double loss(unsigned seed, double dt) {
  Scene scene;
  scene.gravity = kGravity;
  add(scene, random_tree(seed, {kRevolute, kSpherical, kRevolute, kPrismatic, kRevolute}, false));
  Simulation simulation(scene, {.dt = dt});
  simulation.restore(random_state(simulation.system(), seed, 1), 0);
  const double start = energy(simulation.report());
  double last = start, rise = 0, kinetic = 0;
  for (int k = 0; k * dt < 1; ++k) {
    simulation.step();
    rise = std::max(rise, energy(simulation.report()) - last);
    last = energy(simulation.report());
    kinetic = std::max(kinetic, simulation.report().kinetic);
  }
  EXPECT_LT(rise, 1e-10 * kinetic) << seed << " " << dt;
  return (start - last) / kinetic;
}

TEST(TreeMotion, EnergyOfATreeThatHangsNeverRisesAndHardlyFalls) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const double coarse = loss(seed, 8e-3);
    EXPECT_LT(coarse, 1e-4) << seed;
    EXPECT_LT(loss(seed, 2e-3), coarse / 12) << seed;  // of second order
  }
}

// The position of a double pendulum's tip after 0.5 s.
Vec3<double> tip_after(double dt) {
  Scene scene;
  scene.gravity = kGravity;
  for (int k = 0; k < 2; ++k) {
    Link link;
    link.name = "link" + std::to_string(k);
    link.joint.name = "joint" + std::to_string(k);
    link.parent = k - 1;
    link.joint.type = kRevolute;
    link.joint.axis_J = Vec3<double>(0, 1, 0.3).normalized();
    link.joint.X_PJ.p.x() = k * 0.4;
    link.inertia = {1, {0.2, 0, 0.05}, Vec3<double>(1e-3, 2e-2, 2e-2).asDiagonal()};
    scene.bodies.push_back(link_body(link));
  }
  Simulation simulation(scene, {.dt = dt});
  for (int k = 0; k < std::lround(0.5 / dt); ++k) simulation.step();
  return simulation.states()[1].p_WB;
}

TEST(TreeMotion, IsOfTheSecondOrder) {
  const Vec3<double> exact = tip_after(1e-4);
  const double coarse = (tip_after(1e-2) - exact).norm(), fine = (tip_after(5e-3) - exact).norm();
  EXPECT_GT(coarse / fine, 3.5);
  EXPECT_LT(fine, 1e-3);
}

// Free bodies by themselves, and on free joints.
TEST(TreeMotion, BodiesOnFreeJointsMoveAsFreeBodiesDo) {
  for (const double dt : {2e-3, 5e-3}) {
    Scene free, jointed;
    for (Scene* scene : {&free, &jointed}) {
      scene->gravity = kGravity;
      scene->fixed.push_back(floor_at(0));
    }
    for (int k = 0; k < 4; ++k) {
      Body body = free_box("box" + std::to_string(k), {0.1, 0.08, 0.05}, 0.5 + k,
                           {0.02 * k, 0.01 * k, 0.06 + 0.11 * k});
      body.v_WB = {0.5, 0.1, 0};
      free.bodies.push_back(body);
      BodyJoint joint;
      joint.joint.name = "free" + std::to_string(k);
      joint.joint.type = kFree;
      joint.q = (VecX<double>(7) << 1, 0, 0, 0, body.p_WB).finished();
      joint.v = (VecX<double>(6) << 0, 0, 0, body.v_WB).finished();
      body.joint = joint;
      jointed.bodies.push_back(body);
    }
    Simulation one(free, {.dt = dt}), other(jointed, {.dt = dt});
    for (int k = 0; k < 30; ++k) {
      one.step();
      other.step();
    }
    double off = 0;
    for (std::size_t i = 0; i < 4; ++i)
      off = std::max(off, (one.states()[i].p_WB - other.states()[i].p_WB).norm());
    EXPECT_LT(off, 1e-5);
  }
}

TEST(TreeMotion, TreesAndBodiesThatMeetInFreeFlightKeepTheirMomentum) {
  Scene scene;
  add(scene, random_tree(3, {kFree, kRevolute, kRevolute}, true));
  add(scene, random_tree(4, {kFree, kSpherical, kRevolute}, true), {0.35, 0.1, 0});
  for (Body& body : scene.bodies) body.joint->joint.armature = 0;
  scene.bodies.push_back(free_box("box", {0.1, 0.1, 0.1}, 0.4, {0, 0.5, 0}));
  scene.bodies.back().v_WB = {0.1, -2, 0};
  scene.set_material({.friction = 0.5});
  Simulation simulation(scene, {.dt = 2e-3});
  const System& system = simulation.system();
  State state = simulation.state();
  simulation.restore(state, 0);
  const Vec6<double> start = momentum(system, state);
  double rise = 0, last = simulation.report().kinetic, lifted = 0;
  int contacts = 0;
  for (int k = 0; k < 500; ++k) {
    const StepReport& report = simulation.step();
    contacts += report.contacts;
    rise = std::max(rise, energy(report) - last - report.stabilisation_work);
    last = energy(report);
    lifted = std::max(lifted, report.solver.residual);
  }
  EXPECT_GT(contacts, 50);
  EXPECT_LT(rise, 1e-9);
  EXPECT_LT((momentum(system, simulation.state()) - start).tail<3>().norm(), 1e-10 * start.norm());
}

Scene arms_and_boxes() {
  Scene scene;
  scene.gravity = kGravity;
  scene.fixed.push_back(floor_at(0));
  for (unsigned seed = 1; seed <= 3; ++seed)
    add(scene, random_tree(seed, {kRevolute, kSpherical, kRevolute, kRevolute}, false), {0.4 * seed, 0, 0.5});
  for (unsigned seed = 4; seed <= 6; ++seed)
    add(scene, random_tree(seed, {kFree, kRevolute, kPrismatic, kRevolute}, true),
        {0.4 * seed - 1.2, 0.3, 1.2});
  for (Body& body : scene.bodies) {
    Joint& joint = body.joint->joint;
    joint.damping = 0.05;
    joint.friction = joint.type == kRevolute ? 0.1 : 0;
    if (joint.type == kRevolute || joint.type == kPrismatic) {
      joint.lower = -0.6;
      joint.upper = 0.7;
    }
  }
  for (int k = 0; k < 12; ++k)
    scene.bodies.push_back(free_box("box" + std::to_string(k), {0.1, 0.08, 0.06}, 0.3 + 0.1 * k,
                                    {0.3 * (k % 4), 0.25 * (k / 4), 0.08 + 0.05 * (k % 3)}));
  scene.set_material({.friction = 0.5});
  return scene;
}

// Of what a step leaves: the law of contact, limits, energy.
TEST(TreeMotion, ArmsTreesAndFreeBodiesTogether) {
  for (const double dt : {2e-3, 8e-3}) {
    const Scene scene = arms_and_boxes();
    Simulation simulation(scene, {.dt = dt});
    double rise = 0, last = energy(simulation.report()), beyond = 0, cone = 0, residual = 0, deep = 0;
    int most = 0;
    for (int k = 0; k * dt < 2; ++k) {
      const StepReport& report = simulation.step();
      rise = std::max(rise, energy(report) - last - report.stabilisation_work - report.control_work);
      last = energy(report);
      most = std::max(most, report.contacts);
      residual = std::max(residual, report.solver.residual);
      if (k * dt > 0.5) deep = std::max(deep, report.penetration);
      for (const PairContact& c : simulation.contacts()) {
        const double normal = c.n_W.dot(c.J_B_W);
        cone = std::max(cone, (c.J_B_W - normal * c.n_W).norm() - c.mu * normal);
        cone = std::max(cone, -normal);
      }
      for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (!scene.bodies[i].joint) continue;
        const Joint& joint = scene.bodies[i].joint->joint;
        if (joint_kind(joint.type).nq != 1) continue;
        const double q = simulation.state().q[simulation.system().first_q(i)];
        beyond = std::max({beyond, joint.lower - q, q - joint.upper});
      }
    }
    EXPECT_GT(most, 40);
    EXPECT_LT(rise, 1e-7);
    EXPECT_LT(beyond, 1e-3);
    EXPECT_LT(cone, 1e-12);
    EXPECT_LT(residual, 0.1);
  }
}

void expect_same_bits(const Scene& scene, int steps, int least_contacts) {
  std::vector<State> ends;
  for (const int threads : {1, 2, 3, 8}) {
    Simulation simulation(scene, {.dt = 4e-3, .threads = threads});
    for (int k = 0; k < steps; ++k) simulation.step();
    EXPECT_GE(simulation.report().contacts, least_contacts);
    ends.push_back(simulation.state());
  }
  for (std::size_t k = 1; k < ends.size(); ++k) {
    EXPECT_EQ(ends[k].q, ends[0].q);
    EXPECT_EQ(ends[k].v, ends[0].v);
    for (std::size_t i = 0; i < ends[0].bodies.size(); ++i)
      EXPECT_EQ(ends[k].bodies[i].p_WB, ends[0].bodies[i].p_WB);
  }
}

TEST(TreeMotion, TheNumberOfThreadsChangesNoBit) { expect_same_bits(arms_and_boxes(), 100, 20); }

// A wall of bricks, with two arms of two joints that lean on it: one island, which is cut.
Scene wall() {
  Scene scene;
  scene.gravity = kGravity;
  scene.fixed.push_back(floor_at(0));
  for (int layer = 0; layer < 6; ++layer)
    for (int k = 0; k < 10; ++k)
      scene.bodies.push_back(free_box("brick" + std::to_string(10 * layer + k), {0.099, 0.05, 0.05}, 1,
                                      {0.2 * k + 0.1 * (layer % 2), 0, 0.05 + 0.1 * layer}));
  for (int arm = 0; arm < 2; ++arm) {
    std::vector<Body> links;
    for (int k = 0; k < 2; ++k) {
      Link link;
      link.name = "arm" + std::to_string(k);
      link.joint.name = link.name;
      link.parent = k - 1;
      link.joint.type = kRevolute;
      link.joint.axis_J = Vec3<double>::UnitY();
      if (k == 1) link.joint.X_PJ.p.x() = 0.3;
      link.inertia = {1, {0.2, 0, 0}, 1e-2 * Mat3<double>::Identity()};
      links.push_back(link_body(link));
      links.back().shapes.push_back(box_shape({0.15, 0.04, 0.02}));
    }
    add(scene, links, {0.3 + arm, 0, 0.65});
  }
  scene.set_material({.friction = 0.5});
  return scene;
}

TEST(TreeMotion, ALargeIslandIsCutWithItsTrees) {
  const Scene scene = wall();
  Simulation simulation(scene, {.dt = 4e-3});
  double rise = 0, last = energy(simulation.report());
  for (int k = 0; k < 250; ++k) {
    const StepReport& report = simulation.step();
    rise = std::max(rise, energy(report) - last - report.stabilisation_work);
    last = energy(report);
    EXPECT_LT(report.solver.residual, 0.3) << k;
    EXPECT_LT(report.penetration, 1e-3) << k;
  }
  EXPECT_LT(rise, 1e-9);
  EXPECT_GT(simulation.report().contacts, 400);
  EXPECT_LT(simulation.report().kinetic, 1e-2);
  expect_same_bits(scene, 80, 400);
}

TEST(TreeMotion, HundredsOfFreeBodiesBesideAnArm) {
  Scene scene;
  scene.gravity = kGravity;
  for (int k = 0; k < 300; ++k)
    scene.bodies.push_back(free_box("box" + std::to_string(k), {0.1, 0.1, 0.1}, 1, {0.5 * k, 0, 0}));
  add(scene, random_tree(1, {kRevolute, kSpherical, kRevolute}, false), {0, 5, 0});
  Simulation simulation(scene, {.dt = 4e-3});
  for (int k = 0; k < 3; ++k) simulation.step();
  EXPECT_NEAR(simulation.states()[299].v_WB.z(), -9.81 * 12e-3, 1e-12);
}

Scene one_joint(JointType type, double mass) {
  Scene scene;
  Link link;
  link.name = "slider";
  link.joint.name = "joint";
  link.joint.type = type;
  link.joint.axis_J = Vec3<double>::UnitX();
  link.inertia = {mass, {0, 0, 0}, 1e-2 * Mat3<double>::Identity()};
  scene.bodies.push_back(link_body(link));
  return scene;
}

TEST(TreeMotion, FrictionOfAJointHoldsAndBrakes) {
  Scene scene = one_joint(kPrismatic, 2);
  scene.bodies[0].joint->joint.friction = 5;  // N
  scene.bodies[0].joint->v = VecX<double>::Constant(1, 1);
  Simulation simulation(scene, {.dt = 4e-3});
  const double force = 4;
  for (int k = 0; k < 100; ++k) simulation.step({.joint_force = {&force, 1}});
  EXPECT_NEAR(simulation.state().v[0], 1 - 0.4 * 0.5, 1e-12);  // (5 - 4) N slow 2 kg
  for (int k = 0; k < 500; ++k) simulation.step({.joint_force = {&force, 1}});
  EXPECT_LT(std::abs(simulation.state().v[0]), 1e-15);
  const double stop = simulation.state().q[0];
  EXPECT_NEAR(stop, 1, 2e-3);
  for (int k = 0; k < 500; ++k) simulation.step({.joint_force = {&force, 1}});
  EXPECT_EQ(simulation.state().q[0], stop);
}

TEST(TreeMotion, ALimitStopsAndAStiffDriveHolds) {
  Scene scene = one_joint(kPrismatic, 2);
  scene.bodies[0].joint->joint.upper = 0.1;
  Simulation limited(scene, {.dt = 8e-3});
  const double force = 50;
  for (int k = 0; k < 100; ++k) {
    limited.step({.joint_force = {&force, 1}});
    EXPECT_LT(limited.state().q[0], 0.1 + 1e-9);
  }
  EXPECT_NEAR(limited.state().q[0], 0.1, 1e-6);
  EXPECT_LT(std::abs(limited.state().v[0]), 1e-12);

  scene.bodies[0].joint->joint.stiffness = 1e6;
  scene.bodies[0].joint->joint.damping = 1e4;
  Simulation driven(scene, {.dt = 8e-3});
  const double target = 0.05;
  for (int k = 0; k < 100; ++k) driven.step({.joint_force = {&force, 1}, .joint_target = {&target, 1}});
  EXPECT_NEAR(driven.state().q[0], 0.05 + 50 / 1e6, 1e-7);
}

TEST(TreeMotion, WhatMimicsFollowsInContact) {
  Scene scene;
  for (int k = 0; k < 2; ++k) {
    Link link;
    link.name = "finger" + std::to_string(k);
    link.joint.name = link.name;
    link.joint.type = kPrismatic;
    link.joint.axis_J = Vec3<double>(k == 0 ? 1 : -1, 0, 0);
    link.joint.X_PJ.p.x() = k == 0 ? -0.2 : 0.2;
    if (k == 1) link.joint.mimic = Mimic{0, 1, 0};
    link.inertia = {0.1, {0, 0, 0}, 1e-4 * Mat3<double>::Identity()};
    scene.bodies.push_back(link_body(link));
    scene.bodies.back().shapes.push_back(box_shape({0.02, 0.05, 0.05}));
  }
  scene.bodies.push_back(free_box("held", {0.05, 0.04, 0.03}, 0.5, {0.03, 0, 0}));
  scene.gravity = kGravity;
  scene.set_material({.friction = 0.6});
  Simulation simulation(scene, {.dt = 2e-3});
  const double force[] = {10, 10};
  double height = 0;
  for (int k = 0; k < 1000; ++k) {
    simulation.step({.joint_force = force});
    EXPECT_NEAR(simulation.state().q[0], simulation.state().q[1], 1e-12);
    if (k == 300) height = simulation.states()[2].p_WB.z();
  }
  EXPECT_NEAR(simulation.states()[2].p_WB.x(), 0, 1e-6);  // the fingers go together
  EXPECT_NEAR(height, simulation.states()[2].p_WB.z(), 1e-6);
}

TEST(TreeMotion, SaysWhatTakesNoJoints) {
  const System system(one_joint(kRevolute, 1));
  const std::string said = test::refusal([&] { make_integrator(system, {.solver = "published"}); });
  EXPECT_NE(said.find("'published' takes no joints"), std::string::npos) << said;
}

}  // namespace
