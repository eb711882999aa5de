// Simulations that are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/simulation.h"
#include "tests/runtime/dynamics/system/no_asset.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

TEST(Simulation, SpeedsWithoutAnEnergyAreRefused) {
  Simulation simulation(test::scene_of(
      "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nbody a 1 0.01 0.01 0.01 0 0 0.1 1 0 0 0 1e155 0 0 0 0 0 "
      "1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n"));
  EXPECT_THROW(simulation.step(), InvalidInput);
}

TEST(Simulation, RefusesBadSettings) {
  Scene scene = test::scene_of(
      "plane 0 0 1 0\nbody a 1 1 1 1 0 0 1 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.1 0 0 0 1 0 0 0\n");
  for (const double dt : {0.0, -1e-3, std::nan(""), std::numeric_limits<double>::infinity()}) {
    SimulationConfig config;
    config.dt = dt;
    EXPECT_THROW(Simulation(scene, config), InvalidInput);
  }
  scene.bodies[0].mass = 0;
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  scene.bodies[0].mass = 1;
  scene.mu = -1;
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  scene.mu = std::nan("");
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  scene.mu = 0;
  scene.bodies[0].q_WB = {1, 1, 0, 0};
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  scene.bodies[0].q_WB = {1, 0, 0, 0};
  Simulation good(scene);
  EXPECT_THROW(good.restore({}, {}, 0), InvalidInput);
  std::vector<BodyState> states(1);
  states[0].v_WB.x() = std::nan("");
  EXPECT_THROW(good.restore(states, {}, 0), InvalidInput);
}

}  // namespace
