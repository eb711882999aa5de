// Integrators and contact solvers of the tables, control, materials of pairs.
#include "runtime/dynamics/step/integrator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/core/error.h"
#include "runtime/dynamics/system/robot.h"
#include "runtime/dynamics/system/system_tree.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kGravity = 9.81;

std::string box_at(const std::string& name, const std::string& position) {
  return "body " + name + " 2 0.01 0.02 0.025 " + position +
         " 1 0 0 0 0 0 0 0 0 0 1\n box 0.2 0.1 0.05 0 0 0 1 0 0 0\n";
}

// Turns `state` through `steps` steps under constant wrenches; returns the control's work, J.
double run(const System& system, State& state, const std::vector<Vec6<double>>& wrenches, int steps,
           const StepConfig& config = {}) {
  const auto integrator = make_integrator(system, config);
  double work = 0;
  for (int k = 0; k < steps; ++k) work += integrator->step(state, {wrenches}).control_work;
  return work;
}

TEST(Control, MovesAFreeBodyAsNewtonAndEulerSay) {
  const System system(test::scene_of(box_at("a", "0 0 0") + box_at("b", "1 0 0")));
  Vec6<double> push, twist, none = Vec6<double>::Zero();
  push << 0, 0, 0, 3, -2, 1;
  twist << 0, 0, 0.5, 0, 0, 0;
  State state = system.initial_state();
  const double T = 0.5, work = run(system, state, {push, twist}, 250);
  const Vec3<double> v = push.tail<3>() / 2 * T;
  EXPECT_LT((state.bodies[0].v_WB - v).norm(), 1e-13);
  EXPECT_LT((state.bodies[0].p_WB - v * T / 2).norm(), 1e-13);
  EXPECT_LT(system.angular_velocity(state, 0).norm(), 1e-15);
  const double w = 0.5 / 0.025 * T;
  EXPECT_LT((system.angular_velocity(state, 1) - Vec3<double>(0, 0, w)).norm(), 1e-12);
  EXPECT_EQ(state.bodies[1].v_WB.norm(), 0);
  EXPECT_NEAR(work, v.squaredNorm() + 0.025 * w * w / 2, 1e-12);
  // Without it the bodies go on as they were.
  const State before = state;
  run(system, state, {none, none}, 10);
  EXPECT_EQ(state.bodies[0].v_WB, before.bodies[0].v_WB);
}

// What a push does to a body is its work, by whatever integrator.
TEST(Control, WorkOfAPushIsTheEnergyThatItBrings) {
  const System system(test::scene_of(box_at("a", "0 0 0")));
  Vec6<double> push;
  push << 0, 0, 0, 10, 0, 0;
  for (const IntegratorRow& row : integrators()) {
    if (row.name == "implicit") continue;  // backward Euler loses energy
    StepConfig config;
    config.dt = 0.05;
    config.integrator = row.name;
    State state = system.initial_state();
    const double work = run(system, state, {push}, 20, config);
    EXPECT_NEAR(work, system.kinetic_energy(state, 0), 1e-12) << row.name;
    EXPECT_NEAR(work, 25, 1e-12) << row.name;
  }
}

// A drive pulls a mass of 1 kg from rest: what moves has, with what the drive did, the energy of the start.
// Implicit steps lose some.
TEST(Control, WorkOfADriveIsTheEnergyThatItBrings) {
  const System system(
      test::scene_of("body a 1 0.01 0.01 0.01  0 0 0  1 0 0 0  0 0 0 0 0 0  0\n"
                     "joint slide prismatic world 0 0 0 1 0 0 0 1 0 0 stiffness 100\n"));
  const std::vector<double> target{1.0};
  for (const IntegratorRow& row : integrators()) {
    if (!row.takes_joints) continue;
    StepConfig config;
    config.dt = 1e-4;
    config.integrator = row.name;
    const auto integrator = make_integrator(system, config);
    State state = system.initial_state();
    double work = 0;
    for (int k = 0; k < 1000; ++k) work += integrator->step(state, {.joint_target = target}).control_work;
    const double kinetic = system.kinetic_energy(state, 0);
    EXPECT_GT(kinetic, 30) << row.name;
    EXPECT_NEAR(work, kinetic, row.name == "implicit" ? 0.01 * kinetic : 1e-4 * kinetic) << row.name;
  }
}

// A box on a plane holds against a push below mu m g, and gives way to one above with what is left of it.
TEST(Control, FrictionHoldsUpToItsLimit) {
  const System system(test::scene_of("gravity 0 0 -9.81\nmu 0.4\nplane 0 0 1 0\n" + box_at("a", "0 0 0.05")));
  const double limit = 0.4 * 2 * kGravity;
  Vec6<double> push = Vec6<double>::Zero();
  push[3] = 0.95 * limit;
  State state = system.initial_state();
  run(system, state, {push}, 200);
  EXPECT_LT(state.bodies[0].p_WB.head<2>().norm(), 1e-9);
  push[3] = 1.5 * limit;
  run(system, state, {push}, 200);
  EXPECT_NEAR(state.bodies[0].v_WB.x(), 0.5 * limit / 2 * 0.4, 1e-3);
}

TEST(Control, IsRefusedWhereItIsNotTheSystems) {
  const System system(test::scene_of(box_at("a", "0 0 0")));
  const auto integrator = make_integrator(system);
  State state = system.initial_state();
  std::vector<Vec6<double>> wrenches(2, Vec6<double>::Zero());
  EXPECT_EQ(test::refusal([&] { integrator->step(state, {wrenches}); }), "control: 2 wrenches for 1 bodies");
  wrenches.resize(1);
  wrenches[0][2] = std::nan("");
  EXPECT_EQ(test::refusal([&] { integrator->step(state, {wrenches}); }),
            "control: the wrench on body 'a' is not finite");
  state.bodies.emplace_back();
  EXPECT_EQ(test::refusal([&] { integrator->step(state, {}); }), "state: 2 states for 1 bodies");
}

// Steps of which must be short beside the oscillations of what is stiff.
bool is_explicit(const IntegratorRow& row) { return row.name == "semi_implicit" || row.name == "rk4"; }

// All that the next step depends on is in the state: another integrator goes on with the same bits, and a
// state that was moved on can be gone back to.
TEST(Integrators, KeepNothingThatChangesAnAnswer) {
  const System system(test::scene_of("gravity 0 0 -9.81\nmu 0.4\nplane 0 0 1 0\n" + box_at("a", "0 0 0.06") +
                                     box_at("b", "0.1 0 0.2") + box_at("c", "0 0.05 0.35")));
  for (const IntegratorRow& row : integrators()) {
    SCOPED_TRACE(row.name);
    StepConfig config;
    config.integrator = row.name;
    if (is_explicit(row)) config.dt = 2e-4;
    const auto integrator = make_integrator(system, config);
    State state = system.initial_state();
    for (int k = 0; k < 100; ++k) integrator->step(state, {});
    const State here = state;
    integrator->step(state, {});
    const State next = step(system, here, {}, config);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(next.bodies[i].p_WB, state.bodies[i].p_WB);
      EXPECT_EQ(next.bodies[i].q_WB.coeffs(), state.bodies[i].q_WB.coeffs());
      EXPECT_EQ(next.bodies[i].L_W, state.bodies[i].L_W);
    }
    State again = here;
    integrator->step(again, {});
    EXPECT_EQ(again.bodies[2].p_WB, state.bodies[2].p_WB);
  }
}

// What a state says of bodies on joints follows from the coordinates of these, which a caller may have set.
TEST(Integrators, ContactIsWhereTheJointsPutTheBodies) {
  Scene scene;
  scene.fixed.push_back({body::Geometry(body::Box<double>{{0.5, 0.5, 0.5}}), {}, {.modulus = body::kRigid}});
  scene.fixed[0].X_BS.p.z() = -0.5;
  Link link;
  link.name = link.joint.name = "lift";
  link.joint.type = JointType::kPrismatic;
  link.joint.X_PJ.p.z() = 5;
  link.inertia = {1, Vec3<double>::Zero(), 0.01 * Mat3<double>::Identity()};
  scene.bodies.push_back(link_body(link));
  scene.bodies[0].shapes.push_back({body::Geometry(body::Sphere<double>{0.1}), {}, {.modulus = 1e5}});
  const System system(scene);
  const SystemTree tree(system);
  TreeScratch scratch(tree.tree());
  for (const IntegratorRow& row : integrators()) {
    if (!row.takes_joints) continue;
    StepConfig config;
    config.dt = 1e-3;
    config.integrator = row.name;
    config.source.model = "soft_minimum";
    State set = system.initial_state(), placed = set;
    set.q[0] = -4.95;
    tree.place(set.q, set.v, scratch, placed);
    const auto integrator = make_integrator(system, config);
    EXPECT_EQ(integrator->step(set, {}).contacts, 1) << row.name;
    integrator->step(placed, {});
    EXPECT_EQ(set.v, placed.v) << row.name;
    // Where a step has ended, too.
    State spoilt = placed;
    spoilt.bodies[0] = {};
    integrator->step(spoilt, {});
    make_integrator(system, config)->step(placed, {});
    EXPECT_EQ(spoilt.v, placed.v) << row.name;
    EXPECT_EQ(spoilt.bodies[0].p_WB, placed.bodies[0].p_WB) << row.name;
  }
}

TEST(Integrators, EveryOneRestsABoxWithEverySolver) {
  const std::string box = "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n" + box_at("a", "0 0 0.06");
  std::vector<std::string_view> solvers{""};
  for (const ContactSolverRow& solver : contact_solvers()) solvers.push_back(solver.name);
  for (const IntegratorRow& integrator : integrators()) {
    const System system(
        test::scene_of((is_explicit(integrator) ? "modulus 3e5\ndissipation 1\n" : "") + box));
    for (const std::string_view solver : solvers) {
      if (!solver.empty() && !integrator.uses_contact_solver()) continue;
      SCOPED_TRACE(std::string(integrator.name) + " with " + std::string(solver));
      StepConfig config;
      config.integrator = integrator.name;
      config.solver = solver;
      if (is_explicit(integrator)) config.dt = 2e-4;
      State state = system.initial_state();
      run(system, state, {}, is_explicit(integrator) ? 5000 : 500, config);
      EXPECT_NEAR(state.bodies[0].p_WB.z(), 0.05, 1e-3);
      EXPECT_LT(state.bodies[0].v_WB.norm(), 1e-6);
    }
  }
}

// Without a word about it the published integrator has the published solver.
TEST(Integrators, HaveContactSolversOfTheirOwn) {
  const System system(test::scene_of("gravity 0 0 -9.81\nmu 0.4\nplane 0 0 1 0\n" + box_at("a", "0 0 0.05")));
  Vec6<double> push;
  push << 0, 0, 0, 5, 1, 0;
  State own = system.initial_state(), named = own;
  run(system, own, {push}, 50, {.integrator = "published"});
  run(system, named, {push}, 50, {.integrator = "published", .solver = "published"});
  EXPECT_EQ(own.bodies[0].p_WB, named.bodies[0].p_WB);
  EXPECT_EQ(solver_of({}), "coupled");
  EXPECT_EQ(solver_of({.integrator = "rk4"}), "");
}

TEST(Integrators, UnknownNamesAndSettingsAreRefused) {
  const System system(test::scene_of(box_at("a", "0 0 0")));
  const auto said = [&](const StepConfig& config) {
    return test::refusal([&] { make_integrator(system, config); });
  };
  EXPECT_EQ(said({.integrator = "euler"}),
            "no integrator is called 'euler'; there are: midpoint, published, implicit, semi_implicit, rk4");
  EXPECT_EQ(said({.solver = "pgs"}), "no contact solver is called 'pgs'; there are: coupled, published");
  EXPECT_EQ(said({.integrator = "rk4", .solver = "pgs"}),
            "no contact solver is called 'pgs'; there are: coupled, published");
  const std::string none =
      "simulation: the integrator 'rk4' takes no contact solver, but forces of a contact model: leave out "
      "the solver "
      "and its settings";
  EXPECT_EQ(said({.integrator = "rk4", .solver = "coupled"}), none);
  EXPECT_EQ(said({.integrator = "rk4", .solver_settings = {{"tolerance", 1e-9}}}), none);
  EXPECT_NE(said({.solver_settings = {{"tolerance", -1.0}}}).find("tolerance"), std::string::npos);
  EXPECT_NE(said({.solver_settings = {{"omega", 1.0}}}).find("omega"), std::string::npos);
  EXPECT_NE(said({.integrator_settings = {{"share", 2.0}}}).find("share"), std::string::npos);
  EXPECT_NE(said({.source = {.model = "springs"}}).find("springs"), std::string::npos);
}

// A ball that lies over a thin plate is struck by a faster one than it was itself: the plate is found in the
// same step.
TEST(Integrators, WhatIsStruckPassesNothing) {
  const auto ball = [](const std::string& name, double z, double speed) {
    return "body " + name + " 1 1.6e-4 1.6e-4 1.6e-4 0 0 " + std::to_string(z) + " 1 0 0 0 0 0 " +
           std::to_string(speed) + " 0 0 0 1\n sphere 0.02 0 0 0 1 0 0 0\n";
  };
  for (const double gap : {1e-5, 1e-4, 1e-3})
    for (const double speed : {2.0, 20.0, 100.0, 1000.0}) {
      const System system(test::scene_of("sbox 0 0 0 1 0 0 0 1 1 0.001\n" + ball("low", 0.021 + gap, 0) +
                                         ball("middle", 0.062 + gap, 0) +
                                         ball("high", 0.1 + gap + 0.6 * speed * 2e-3 + 0.01, -speed)));
      State state = system.initial_state();
      const auto integrator = make_integrator(system);
      double lowest = 1;
      for (int k = 0; k < 20; ++k) {
        integrator->step(state, {});
        lowest = std::min(lowest, state.bodies[0].p_WB.z());
      }
      EXPECT_GT(lowest, 0.021 - 1e-6) << gap << " " << speed;
    }
}

// What is left of a motion after thousands of steps has squares that are no numbers.
TEST(Integrators, MotionsThatDieOutStayNumbers) {
  const System system(test::scene_of("mu 0.5\nplane 0 0 1 0\n" + box_at("a", "0 0 0.05")));
  for (const double speed : {1e-140, 1e-155, 1e-162, 1e-170, 1e-310}) {
    State state = system.initial_state();
    state.bodies[0].v_WB = speed * Vec3<double>(1, 0.5, -1);
    state.bodies[0].L_W = 0.01 * speed * Vec3<double>(1, -1, 0.5);
    run(system, state, {}, 20);
    EXPECT_LE(state.bodies[0].v_WB.norm(), 2 * speed);
  }
}

// Friction and restitution are those of the two materials that meet.
TEST(Materials, OfPairsRule) {
  // On a slope of tan = 0.4: 2 a b / (a + b) of 0.5 and 0.5 holds, of 0.5 and 0.2 slides with 0.2857.
  const double angle = std::atan(0.4), g_x = kGravity * std::sin(angle), g_z = kGravity * std::cos(angle);
  const System slope(test::scene_of("gravity " + std::to_string(g_x) + " 0 -" + std::to_string(g_z) +
                                    "\nmu 0.5\nplane 0 0 1 0\n" + box_at("rough", "0 0 0.05") +
                                    box_at("smooth", "0 1 0.05") + "material mu 0.2\n"));
  State state = slope.initial_state();
  run(slope, state, {}, 250);
  EXPECT_LT(state.bodies[0].v_WB.norm(), 1e-6);
  EXPECT_NEAR(state.bodies[1].v_WB.x(), 0.5 * (g_x - 2 * 0.5 * 0.2 / 0.7 * g_z), 2e-3);

  // Two balls on a plane of restitution 1: of 1 and of 0.5, harmonic mean 2/3.
  const auto ball = [](const std::string& name, const std::string& y) {
    return "body " + name + " 1 0.004 0.004 0.004 0 " + y +
           " 0.6 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.1 0 0 0 1 0 0 0\n";
  };
  const System bounce(test::scene_of("gravity 0 0 -9.81\nrestitution 1\nplane 0 0 1 0\n" +
                                     ball("lively", "0") + ball("dull", "1") + "material restitution 0.5\n"));
  state = bounce.initial_state();
  double fastest[2] = {0, 0};
  const auto integrator = make_integrator(bounce, {.dt = 1e-3});
  for (int k = 0; k < 400; ++k) {
    integrator->step(state, {});
    for (int i = 0; i < 2; ++i) fastest[i] = std::max(fastest[i], state.bodies[i].v_WB.z());
  }
  EXPECT_NEAR(fastest[1] / fastest[0], 2.0 / 3, 0.01);
}

}  // namespace
