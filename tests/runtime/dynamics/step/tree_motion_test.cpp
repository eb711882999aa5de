// Trees between and under impulses of the integrator midpoint: free motion, joints, one body held.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.h"
#include "tests/support/tree_scenes.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::test;

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
    for (int k = 0; k < 500; ++k)
      worst = test::worst_of(worst, std::abs(simulation.step().kinetic - kinetic));
    EXPECT_LT(worst, 1e-9 * kinetic) << seed;
    EXPECT_LT((momentum(system, simulation.state()) - start).norm(), 1e-10 * start.norm()) << seed;
  }
}

// In steps of up to half a radian, far from the world's origin, by itself and with links that leave the
// plane.
TEST(TreeMotion, WhatAPlanarJointCarriesKeepsEnergyAndMomentaInThePlane) {
  for (const auto& types : {std::vector{kPlanar}, std::vector{kPlanar, kRevolute, kPrismatic, kSpherical}}) {
    Scene scene;
    add(scene, random_tree(3, types, true), {1e3, 2e3, -3e3});
    for (Body& body : scene.bodies) body.joint->joint.armature = 0;
    Simulation simulation(scene, {.dt = types.size() > 1 ? 4e-3 : 0.05});
    const System& system = simulation.system();
    simulation.restore(random_state(system, 3, types.size() > 1 ? 2 : 10), 0);
    const Joint& joint = scene.bodies[0].joint->joint;
    const Vec3<double> normal = joint.X_PJ.R * joint.axis_J, origin = joint.X_PJ.p;
    const auto in_plane = [&] {
      const Vec6<double> p = momentum(system, simulation.state());
      const Vec3<double> linear = p.tail<3>();
      return std::pair{normal.dot(p.head<3>() - origin.cross(linear)),
                       Vec3<double>(linear - normal.dot(linear) * normal)};
    };
    const auto [angular, linear] = in_plane();
    const double kinetic = simulation.report().kinetic;
    for (int k = 0; k < 500; ++k) simulation.step();
    EXPECT_NEAR(simulation.report().kinetic, kinetic, 1e-9 * kinetic) << types.size();
    EXPECT_NEAR(in_plane().first, angular, 1e-9 * std::abs(angular)) << types.size();
    EXPECT_LT((in_plane().second - linear).norm(), 1e-9 * linear.norm()) << types.size();
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
    rise = test::worst_of(rise, energy(simulation.report()) - last);
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

// Rounding of the height above the world's origin takes no energy from slow motions, and changes no bit.
TEST(TreeMotion, APendulumSwingsAnywhereInTheWorld) {
  std::vector<double> at_the_origin;
  for (const double height : {0.0, 1e3, 1e6, 1e12}) {
    Scene scene;
    scene.gravity = kGravity;
    Link link;
    link.name = "link";
    link.joint.name = "joint";
    link.joint.type = kRevolute;
    link.joint.axis_J = {0, 1, 0};
    link.joint.X_PJ.p.z() = height;
    link.inertia = {1, {0, 0, -1}, Vec3<double>::Constant(1e-3).asDiagonal()};
    scene.bodies.push_back(link_body(link));
    Simulation simulation(scene, {.dt = 1e-3});
    State start = simulation.state();
    start.v[0] = 1e-3;  // rad/s
    simulation.restore(start, 0);
    double fastest = 0;
    for (int k = 0; k < 3000; ++k) {
      simulation.step();
      if (k >= 1000) fastest = std::max(fastest, std::abs(simulation.state().v[0]));
    }
    EXPECT_NEAR(fastest / 1e-3, 1, 1e-3) << height;
    const std::vector<double> end{simulation.state().q[0], simulation.state().v[0]};
    if (height == 0) at_the_origin = end;
    EXPECT_EQ(end, at_the_origin) << height;
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
      off = test::worst_of(off, (one.states()[i].p_WB - other.states()[i].p_WB).norm());
    EXPECT_LT(off, 1e-5);
  }
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

TEST(TreeMotion, AJointThatCoastsStopsAtItsLimitAndNotBefore) {
  Scene scene = one_joint(kPrismatic, 2);
  scene.bodies[0].joint->joint.upper = 0.1;
  for (const double dt : {1e-3, 8e-3, 30e-3})
    for (const double speed : {0.3, 1.0, 3.0}) {
      scene.bodies[0].joint->v = VecX<double>::Constant(1, speed);
      Simulation simulation(scene, {.dt = dt});
      for (int k = 0; k < std::lround(0.1 / speed / dt) + 4; ++k) simulation.step();
      EXPECT_NEAR(simulation.state().q[0], 0.1, 1e-12) << dt << " s, " << speed << " m/s";
      EXPECT_LT(std::abs(simulation.state().v[0]), 1e-12);
    }
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

// A slider at rest, struck in the step in which it then reaches its limit.
TEST(TreeMotion, ALimitStopsWhatAnImpactThrows) {
  Scene scene = one_joint(kPrismatic, 1);
  scene.bodies[0].joint->joint.upper = 0.2;
  scene.bodies[0].shapes.push_back(box_shape({0.05, 0.05, 0.05}));
  scene.bodies.push_back(free_box("hammer", {0.05, 0.05, 0.05}, 10, {-0.15, 0, 0}));
  scene.bodies[1].v_WB = {50, 0, 0};
  Simulation simulation(scene, {.dt = 8e-3});
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(simulation.step().solver.status, Status::kOk) << k;
    EXPECT_LT(simulation.state().q[0], 0.2 + 1e-9) << k;
  }
}

// Of a state in which it stands elsewhere.
TEST(TreeMotion, WhatIsWeldedToTheWorldStandsWhereItsJointSays) {
  Scene scene = one_joint(JointType::kFixed, 1);
  scene.bodies[0].joint->joint.X_PJ.p.x() = 3;
  Scene elsewhere = scene;
  elsewhere.bodies[0].joint->joint.X_PJ.p.x() = 0;
  for (const IntegratorRow& row : integrators()) {
    if (row.name == "published") continue;
    StepConfig config{.dt = 1e-3, .integrator = std::string(row.name)};
    if (row.solver.empty()) config.source.model = "point";
    const System system(scene);
    State state = System(elsewhere).initial_state();
    ASSERT_EQ(state.bodies[0].p_WB.x(), 0);
    make_integrator(system, config)->step(state, {});
    EXPECT_EQ(state.bodies[0].p_WB.x(), 3) << row.name;
  }
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
