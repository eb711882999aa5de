// Simulations that are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/simulation.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/bodies.h"
#include "tests/support/refusal.h"
#include "tests/support/tetrahedron_asset.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

TEST(Simulation, SpeedsWithoutAnEnergyAreRefused) {
  const Scene scene = test::scene_of(
      "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nbody a 1 0.01 0.01 0.01 0 0 0.1 1 0 0 0 1e155 0 0 0 0 0 "
      "1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n");
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  const System system(scene);
  EXPECT_THROW(step(system, system.initial_state()), InvalidInput);
}

// A step that throws changes nothing: what goes on from there has the bits of what never tried it.
TEST(Simulation, AStepThatThrowsChangesNothing) {
  std::string text = "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n";
  for (const char* x : {"0", "0.5"})
    text += std::string("body b") + x + " 1 0.01 0.01 0.01 " + x +
            " 0 0.1 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n";
  const Scene scene = test::scene_of(text);
  const std::vector<Vec6<double>> push = {Vec6<double>::Zero(), Vec6<double>::Unit(5) * 1.7e308};
  for (const IntegratorRow& row : integrators()) {
    StepConfig config{.integrator = std::string(row.name)};
    if (row.solver.empty()) config.source.model = "point";
    Simulation tried(scene, config), never(scene, config);
    for (int i = 0; i < 5; ++i) tried.step(), never.step();
    EXPECT_THROW(tried.step({.F_BBcm_W = push}), InvalidInput) << row.name;
    EXPECT_EQ(tried.steps(), 5);
    for (int i = 0; i < 5; ++i) {
      for (std::size_t body = 0; body < 2; ++body) {
        EXPECT_EQ(tried.states()[body].p_WB, never.states()[body].p_WB) << row.name << " " << i;
        EXPECT_EQ(tried.states()[body].v_WB, never.states()[body].v_WB) << row.name << " " << i;
      }
      tried.step(), never.step();
    }
  }
}

// Before the bodies meet.
TEST(Simulation, NamesBodiesThatTheModelCannotPair) {
  const asset::Asset asset = test::tetrahedron_asset();
  Scene scene;
  for (const double x : {0.0, 5.0}) {
    Body body;
    body.name = x == 0 ? "near" : "far";
    body.mass = 1;
    body.inertia = Vec3<double>::Ones();
    body.p_WB.x() = x;
    body.shapes.push_back({test::body_of(asset).geometry, {}, {.modulus = body::kRigid}});
    scene.bodies.push_back(body);
  }
  StepConfig config;
  config.source.model = "pressure_field";
  const std::string said = test::refusal([&] { Simulation(scene, config); });
  EXPECT_NE(said.find("body 'near' and body 'far': pressure-field contact: both bodies are rigid"),
            std::string::npos)
      << said;
}

TEST(Simulation, RefusesBadSettings) {
  Scene scene = test::scene_of(
      "plane 0 0 1 0\nbody a 1 1 1 1 0 0 1 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.1 0 0 0 1 0 0 0\n");
  for (const double dt : {0.0, -1e-3, std::nan(""), std::numeric_limits<double>::infinity()}) {
    StepConfig config;
    config.dt = dt;
    EXPECT_THROW(Simulation(scene, config), InvalidInput);
  }
  scene.bodies[0].mass = 0;
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  scene.bodies[0].mass = 1;
  for (const double mu : {-1.0, std::nan("")}) {
    scene.set_material({.friction = mu});
    EXPECT_THROW(Simulation{scene}, InvalidInput);
  }
  scene.set_material({});
  scene.bodies[0].q_WB = {1, 1, 0, 0};
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  scene.bodies[0].q_WB = {1, 0, 0, 0};
  Simulation good(scene);
  EXPECT_THROW(good.restore({}, 0), InvalidInput);
  State state = good.state();
  state.bodies[0].v_WB.x() = std::nan("");
  EXPECT_THROW(good.restore(state, 0), InvalidInput);
  state.bodies[0].v_WB.x() = 1e200;  // whose energy is none
  EXPECT_THROW(good.restore(state, 7), InvalidInput);
  EXPECT_EQ(good.state().bodies[0].v_WB, Vec3<double>::Zero());
  EXPECT_EQ(good.steps(), 0);
}

// What the last step was told is not of a state that is restored.
TEST(Simulation, ARestoredStateHasAReportOfItsOwn) {
  Simulation simulation(
      test::scene_of("gravity 0 0 -9.81\nmu 0.5\nbody ball 1 0.01 0.01 0.01 0 0 0.009 1 0 0 0 0 0 0 0 0 0 1\n"
                     " box 0.01 0.01 0.01 0 0 0 1 0 0 0\nplane 0 0 1 0\n"));
  const State start = simulation.state();
  const double energy = simulation.report().potential;
  ASSERT_GT(simulation.step().contacts, 0);
  simulation.restore(start, 0);
  EXPECT_EQ(simulation.report().contacts, 0);
  EXPECT_EQ(simulation.report().potential, energy);
}

}  // namespace
