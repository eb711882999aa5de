// Derivatives of steps of trees: near rest, and where links are moved apart.
#include <gtest/gtest.h>

#include "tests/runtime/dynamics/step/frictional_steps.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/runtime/dynamics/system/no_asset.h"

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

// Fourth-order differences of the next state by a parameter, between systems.
VecX<double> slope_by(const Scene& scene, const Parameter& parameter, const StepConfig& config,
                      StepDifferences& differences, const State& state, double relative) {
  const double size =
      relative * value_of(scene.bodies[static_cast<std::size_t>(parameter.body)], parameter.quantity);
  const State middle = differences.next(state);
  const auto at = [&](double by) -> VecX<double> {
    Scene changed = scene;
    change(changed.bodies[static_cast<std::size_t>(parameter.body)], parameter, by);
    State to = state;
    StepConfig plain = config;
    plain.parameters.clear();
    make_integrator(System(changed), plain)->step(to, {});
    return differences.between(middle, to);
  };
  return (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
}

// Links 0 and 2 of a chain of three overlap, which limits of its joints keep them from leaving within the
// sweeps.
TEST(TreeSlopes, AreTheStepsWhereLinksOfOneTreeAreMovedApart) {
  const char* const chain = R"(gravity 0 0 0
body b0 1 0.002 0.003 0.004 0 0 0.5 1 0 0 0 0 0 0 0 0 0 1
sphere 0.1 0 0 0 1 0 0 0
joint j0 revolute world 0.3 0 0.5 1 0 0 0 0 0 1
body b1 1 0.002 0.003 0.004 0.2 0.3 0.5 1 0 0 0 0 0 0 0 0 0 0
joint j1 revolute b0 0 0.3 0.5 1 0 0 0 0 0 1 lower -0.01 upper 0.01
body b2 1 0.002 0.003 0.004 0.17 0.02 0.5 1 0 0 0 0 0 0 0 0 0 1
sphere 0.1 0 0 0 1 0 0 0
joint j2 revolute b1 0.35 0.3 0.5 1 0 0 0 0 0 1 lower -0.01 upper 0.01
)";
  const Scene scene = scene_of(chain);
  const System system(scene);
  StepConfig config = exact_config();
  config.parameters = {{Quantity::kMass, 0, 0}, {Quantity::kMass, 2, 0}};
  StepDifferences differences(system, config);
  VecX<double> x(6);
  x << 0, 0.009, -0.0095, 0.1, 0.02, -0.015;
  const State state = differences.moved(system.initial_state(), x);
  State next = state;
  StepDerivatives d;
  differences.integrator().step(next, {}, d);
  ASSERT_EQ(d.status, Status::kOk);
  for (Eigen::Index k = 0; k < 6; ++k) {
    const VecX<double> slope = differences.slope(state, VecX<double>::Unit(6, k), 1e-6);
    EXPECT_LT((d.state.col(k) - slope).norm(), 1e-8) << k;
  }
  for (Eigen::Index p = 0; p < 2; ++p) {
    const VecX<double> slope =
        slope_by(scene, config.parameters[static_cast<std::size_t>(p)], config, differences, state, 1e-4);
    EXPECT_GT(slope.head(3).norm(), 1e-5);
    EXPECT_LT((d.parameter.col(p) - slope).head(3).norm(), 1e-8) << p;
  }
}

}  // namespace
