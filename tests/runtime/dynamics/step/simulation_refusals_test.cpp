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
  const Scene scene = test::scene_of(
      "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nbody a 1 0.01 0.01 0.01 0 0 0.1 1 0 0 0 1e155 0 0 0 0 0 "
      "1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n");
  EXPECT_THROW(Simulation{scene}, InvalidInput);
  const System system(scene);
  EXPECT_THROW(step(system, system.initial_state()), InvalidInput);
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
}

}  // namespace
