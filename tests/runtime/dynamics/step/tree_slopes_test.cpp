// Derivatives of steps of trees under gravity, near rest.
#include <gtest/gtest.h>

#include "tests/runtime/dynamics/step/frictional_steps.h"
#include "tests/runtime/dynamics/step/step_differences.h"

namespace {

using namespace abut;
using namespace abut::test;

// Two rods of 0.2 m that hang one on the other.
Scene hanging_rods() {
  Scene scene;
  scene.gravity = kGravity;
  for (int k = 0; k < 2; ++k) {
    Link link;
    link.name = "rod" + std::to_string(k);
    link.joint.name = "hinge" + std::to_string(k);
    link.parent = k - 1;
    link.joint.type = kRevolute;
    link.joint.axis_J = {0, 1, 0};
    link.joint.X_PJ.p.z() = -0.2 * k;
    link.inertia = {1, {0, 0, -0.1}, Vec3<double>(4e-3, 4e-3, 1e-4).asDiagonal()};
    scene.bodies.push_back(link_body(link));
  }
  return scene;
}

// What the step removes of the energy depends on the ratio of the velocities before and after gravity's
// impulse, however small they are.
TEST(TreeSlopes, AreTheStepsHoweverSlowlyATreeMoves) {
  const System system(hanging_rods());
  StepConfig config = exact_config();
  config.dt = 8e-3;
  StepDifferences differences(system, config);
  int right = 0;
  for (const double speed : {1.0, 0.1, 0.01, 2e-3})
    for (unsigned seed = 1; seed <= 8; ++seed) {
      Random random(seed, 0);
      VecX<double> x(4);
      for (double& value : x) value = speed * random.uniform(-1, 1);
      const State state = differences.moved(system.initial_state(), x);
      State next = state;
      StepDerivatives d;
      differences.integrator().step(next, {}, d);
      if (d.status != Status::kOk) {
        EXPECT_TRUE(has_kink(d, StepKink::Kind::kEnergy));
        continue;
      }
      ++right;
      for (Eigen::Index k = 0; k < 4; ++k) {
        const VecX<double> slope =
            differences.slope(state, VecX<double>::Unit(4, k), std::min(1e-3, 0.05 * speed));
        EXPECT_LT((d.state.col(k) - slope).norm(), 1e-5 * slope.norm()) << speed << ", " << seed << ", " << k;
      }
    }
  EXPECT_GT(right, 25);
}

// There the energy that a step would remove is below its rounding.
TEST(TreeSlopes, AreTheStepsAtRest) {
  const System system(hanging_rods());
  StepDifferences differences(system, exact_config());
  State state = system.initial_state();
  StepDerivatives d;
  differences.integrator().step(state, {}, d);
  EXPECT_EQ(d.status, Status::kOk);
  for (Eigen::Index k = 0; k < 4; ++k) {
    const VecX<double> slope = differences.slope(system.initial_state(), VecX<double>::Unit(4, k), 1e-6);
    EXPECT_LT((d.state.col(k) - slope).norm(), 1e-8 * slope.norm()) << k;
  }
}

}  // namespace
