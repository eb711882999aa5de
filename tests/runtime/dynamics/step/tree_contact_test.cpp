// Trees, arms and free bodies together in rigid contact: the integrator midpoint with the coupled solver.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/allocations.h"
#include "tests/support/tree_scenes.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST(TreeContact, TreesAndBodiesThatMeetInFreeFlightKeepTheirMomentum) {
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
    rise = test::worst_of(rise, energy(report) - last - report.stabilisation_work);
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
TEST(TreeContact, ArmsTreesAndFreeBodiesTogether) {
  for (const double dt : {2e-3, 8e-3}) {
    const Scene scene = arms_and_boxes();
    Simulation simulation(scene, {.dt = dt});
    double rise = 0, last = energy(simulation.report()), beyond = 0, cone = 0, residual = 0, deep = 0;
    int most = 0;
    for (int k = 0; k * dt < 2; ++k) {
      const StepReport& report = simulation.step();
      rise = test::worst_of(rise, energy(report) - last - report.stabilisation_work - report.control_work);
      last = energy(report);
      most = std::max(most, report.contacts);
      residual = std::max(residual, report.solver.residual);
      if (k * dt > 0.5) deep = std::max(deep, report.penetration);
      for (const PairContact& c : simulation.contacts()) {
        const double normal = c.n_W.dot(c.J_B_W);
        cone = test::worst_of(cone, (c.J_B_W - normal * c.n_W).norm() - c.mu * normal);
        cone = test::worst_of(cone, -normal);
      }
      for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (!scene.bodies[i].joint) continue;
        const Joint& joint = scene.bodies[i].joint->joint;
        if (joint_kind(joint.type).nq != 1) continue;
        const double q = simulation.state().q[simulation.system().first_q(i)];
        beyond = test::worst_of({beyond, joint.lower - q, q - joint.upper});
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

TEST(TreeContact, BodiesStandWhereAStateThatIsTakenHasTheirJoints) {
  Simulation simulation(arms_and_boxes(), {.dt = 4e-3});
  State mixed = simulation.state();
  for (int k = 0; k < 50; ++k) simulation.step();
  const State later = simulation.state();
  mixed.q = later.q;
  mixed.v = later.v;
  simulation.restore(mixed, 0);
  const System& system = simulation.system();
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    const bool on_joint = system.body(i).joint.has_value();
    const BodyState &stands = simulation.state().bodies[i], &expected = (on_joint ? later : mixed).bodies[i];
    EXPECT_LT((stands.p_WB - expected.p_WB).norm(), 1e-12) << i;
    EXPECT_LT((stands.v_WB - expected.v_WB).norm(), 1e-12) << i;
  }
}

// Where there were as many contacts before.
TEST(TreeContact, StepsAllocateNothing) {
  Simulation simulation(arms_and_boxes(), {.dt = 4e-3});
  for (int k = 0; k < 200; ++k) simulation.step();
  const State start = simulation.state();
  for (int k = 0; k < 50; ++k) simulation.step();
  simulation.restore(start, 0);
  const std::size_t before = test::allocations();
  for (int k = 0; k < 50; ++k) simulation.step();
  EXPECT_EQ(test::allocations(), before);
}

// A ball that rolls, and an arm whose second joint mimics its first: nothing that a step makes faster, so
// that no step asks whether it is stable.
TEST(TreeContact, ExplicitStepsAllocateNothing) {
  Scene scene = scene_of(
      "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n"
      "body ball 0.5 5e-4 5e-4 5e-4 0 0 0.0499 1 0 0 0 1 0 0 0 20 0 1\n sphere 0.05 0 0 0 1 0 0 0\n"
      "body upper 1 0.01 0.01 0.01 5 0 1 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint shoulder revolute world 4 0 1 1 0 0 0 0 0 1 velocity 1 damping 0.5\n"
      "body lower 1 0.01 0.01 0.01 6 0 1 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint elbow revolute upper 1 0 0 1 0 0 0 0 0 1 velocity 0.5\n");
  scene.bodies[2].joint->joint.mimic = Mimic{1, 0.5, 0};
  for (const char* integrator : {"semi_implicit", "rk4"}) {
    Simulation simulation(scene, {.dt = 1e-3, .integrator = integrator});
    for (int k = 0; k < 100; ++k) simulation.step();
    const std::size_t before = test::allocations();
    for (int k = 0; k < 50; ++k) simulation.step();
    EXPECT_EQ(test::allocations(), before) << integrator;
    EXPECT_EQ(simulation.report().contacts, 1) << integrator;
  }
}

TEST(TreeContact, TheNumberOfThreadsChangesNoBit) { expect_same_bits(arms_and_boxes(), 100, 20); }

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

TEST(TreeContact, ALargeIslandIsCutWithItsTrees) {
  const Scene scene = wall();
  Simulation simulation(scene, {.dt = 4e-3});
  double rise = 0, last = energy(simulation.report());
  for (int k = 0; k < 250; ++k) {
    const StepReport& report = simulation.step();
    rise = test::worst_of(rise, energy(report) - last - report.stabilisation_work);
    last = energy(report);
    EXPECT_LT(report.solver.residual, 0.3) << k;
    EXPECT_LT(report.penetration, 1e-3) << k;
  }
  EXPECT_LT(rise, 1e-9);
  EXPECT_GT(simulation.report().contacts, 400);
  EXPECT_LT(simulation.report().kinetic, 1e-2);
  expect_same_bits(scene, 80, 400);
}

// Memory starts with other bytes each time: what a step reads, it has set before.
TEST(TreeContact, WhatAFixedJointHoldsCarriesABox) {
  Scene scene;
  scene.gravity = kGravity;
  scene.bodies = {free_box("base", {0.1, 0.1, 0.1}, 1, Vec3<double>::Zero()),
                  free_box("box", {0.05, 0.05, 0.05}, 1, {0, 0, 0.25})};
  scene.bodies[0].joint.emplace();
  scene.bodies[0].joint->joint.name = "held";
  scene.bodies[0].joint->joint.X_PJ.p.z() = 0.1;
  double first = 0;
  for (const int byte : {1, 85, 170, 255}) {
    mallopt(M_PERTURB, byte);
    Simulation simulation(scene, {.dt = 2e-3});
    for (int k = 0; k < 200; ++k) simulation.step();
    const double height = simulation.states()[1].p_WB.z();
    EXPECT_NEAR(height, 0.25, 1e-4) << byte;
    if (byte == 1) first = height;
    EXPECT_EQ(height, first) << byte;
    EXPECT_EQ(simulation.states()[0].p_WB.z(), 0.1) << byte;
  }
  mallopt(M_PERTURB, 0);
}

TEST(TreeContact, HundredsOfFreeBodiesBesideAnArm) {
  Scene scene;
  scene.gravity = kGravity;
  for (int k = 0; k < 300; ++k)
    scene.bodies.push_back(free_box("box" + std::to_string(k), {0.1, 0.1, 0.1}, 1, {0.5 * k, 0, 0}));
  add(scene, random_tree(1, {kRevolute, kSpherical, kRevolute}, false), {0, 5, 0});
  Simulation simulation(scene, {.dt = 4e-3});
  for (int k = 0; k < 3; ++k) simulation.step();
  EXPECT_NEAR(simulation.states()[299].v_WB.z(), -9.81 * 12e-3, 1e-12);
}

// What is at rest stays so, whatever impulses the last step had: here an arm with friction in its joints that
// was pressed on the floor, and let go.
TEST(TreeContact, AnArmAtRestStaysSoWhateverImpulsesTheLastStepHad) {
  const System system(
      scene_of("gravity 0 0 0\nmu 0.5\nplane 0 0 1 0\n"
               "body a 1 0.01 0.01 0.01 0 0 0.5 1 0 0 0 0 0 0 0 0 0 1\nsphere 0.05 0 0 0 1 0 0 0\n"
               "joint ja revolute world 0 0 0.5 1 0 0 0 0 1 0 friction 0.1\n"
               "body b 1 0.01 0.01 0.01 0.3 0 0.097995 1 0 0 0 0 0 0 0 0 0 1\nsphere 0.098 0 0 0 1 0 0 0\n"
               "joint jb revolute a 0.31 0.02 0.47 1 0 0 0 0 1 0.1 friction 0.1\n"));
  const std::unique_ptr<Integrator> integrator = make_integrator(system, {.dt = 2e-3});
  const State start = system.initial_state();
  State state = start;
  const double pressed[] = {50, 20};
  integrator->step(state, {.joint_force = pressed});
  ASSERT_FALSE(state.impulses.empty());
  State rest = start;
  rest.impulses = state.impulses;
  integrator->step(rest, {});
  EXPECT_LT(rest.v.norm(), 1e-2);  // no more than the floor's push out of 5 um
  EXPECT_LT((rest.q - start.q).norm(), 1e-4);
}

// A pendulum that hangs, nearly upright, in the floor, and a slider whose rail is all but parallel to it:
// they separate only by moving far along it. A step moves them by twice the depth at most.
TEST(TreeContact, ADeepStartOnAJointIsNoLeap) {
  const auto pendulum = [](double angle, double depth) {
    return "plane 0 0 1 " + std::to_string(depth - 1.05) +
           "\nbody ball 1 1e-3 1e-3 1e-3 0 0 -1 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 0\n"
           "joint j revolute world 0 0 0 1 0 0 0 0 1 0 position " +
           std::to_string(angle) + "\n";
  };
  const double slope = 0.3 * std::numbers::pi / 180;
  const std::string slider =
      "plane 0 0 1 0\nbody ball 1 1e-3 1e-3 1e-3 0 0 0.045 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 "
      "0\n"
      "joint j prismatic world 0 0 0 1 0 0 0 " +
      std::to_string(std::cos(slope)) + " 0 " + std::to_string(std::sin(slope)) + "\n";
  const std::pair<std::string, double> starts[] = {{pendulum(2e-3, 5e-3), 5e-3},
                                                   {pendulum(1e-4, 5e-3), 5e-3},
                                                   {pendulum(1e-3, 1e-3), 1e-3},
                                                   {slider, 5e-3}};
  for (const auto& [text, depth] : starts) {
    Simulation simulation(scene_of("mu 0.5\n" + text), {.dt = 2e-3});
    const Vec3<double> start = simulation.states()[0].p_WB;
    simulation.step();
    EXPECT_GT(simulation.report().contacts, 0);
    EXPECT_LT((simulation.states()[0].p_WB - start).norm(), 2.01 * depth) << text;
  }
}

}  // namespace
