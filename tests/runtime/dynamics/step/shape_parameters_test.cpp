// Derivatives of steps by what the shapes of bodies are: poses of shapes that hardly touch, materials beside
// them, several materials on one body.
#include <gtest/gtest.h>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/system_tree.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

// Bricks on a rigid floor: one of 1e9 Pa, 25 nm deep, and one with feet of two materials. Both slide.
Scene bricks() {
  return test::scene_of(
      "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nmaterial modulus rigid\n"
      "body stiff 2 0.01 0.02 0.025 0 0 0.049999975 1 0 0 0 0.01 0.02 0 0.1 0 0 1\n"
      " box 0.2 0.1 0.05 0 0 0 1 0 0 0\nmaterial modulus 1e9 mu 0.5 dissipation 0.1\n"
      "body feet 2 0.01 0.02 0.025 1 0 0.0499 1 0 0 0 0.2 -0.1 0 0 0 0.3 2\n"
      " box 0.02 0.1 0.05 -0.1 0 0 1 0 0 0\nmaterial modulus 1e6 mu 0.2\n"
      " box 0.02 0.1 0.05 0.1 0 0 1 0 0 0\nmaterial modulus 2e6 mu 0.6\n");
}

StepConfig config_of(std::string_view integrator) {
  StepConfig config;
  config.dt = integrator == "implicit" ? 2e-3 : 1e-5;
  config.integrator = integrator;
  config.source = {.model = "pressure_field", .settings = {{"stiction_speed", 1e-2}}};
  if (integrator == "implicit") config.integrator_settings = {{"tolerance", 1e-10}};
  return config;
}

constexpr std::string_view kIntegrators[] = {"implicit", "semi_implicit", "rk4"};

TEST(ShapeParameters, EqualDifferencesWhereShapesHardlyTouchAndOnWhateverElseIsAskedFor) {
  const Scene scene = bricks();
  const System system(scene);
  const SystemTree tree(system);
  const State start = system.initial_state();
  // A pose first: what comes after it is asked where the shapes are, not where they were moved to.
  const std::vector<Parameter> parameters = {{Quantity::kShapeShiftZ, 0, 0}, {Quantity::kModulus, 0},
                                             {Quantity::kFriction, 0},       {Quantity::kShapeTurnY, 0, 0},
                                             {Quantity::kShapeShiftX, 1, 1}, {Quantity::kFriction, 1},
                                             {Quantity::kShapeTurnZ, 1, 0},  {Quantity::kModulus, 1}};
  const double sizes[] = {2e-9, 1e5, 1e-4, 1e-9, 1e-7, 1e-4, 1e-5, 1e2};
  for (const std::string_view integrator : kIntegrators) {
    StepConfig config = config_of(integrator);
    const StepConfig plain = config;
    config.parameters = parameters;
    State next = start;
    StepDerivatives derivatives;
    make_integrator(system, config)->step(next, {}, derivatives);
    EXPECT_EQ(derivatives.status, Status::kOk);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const auto at = [&](double t) -> VecX<double> {
        Scene changed = scene;
        change(changed.bodies[static_cast<std::size_t>(parameters[p].body)], parameters[p], t);
        State end = start;
        make_integrator(System(changed), plain)->step(end, {});
        return tree.difference(next, end);
      };
      const double size = sizes[p];
      const VecX<double> slope = (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
      EXPECT_GT(slope.norm(), 0) << integrator << ", " << p;
      EXPECT_LT((derivatives.parameter.col(static_cast<Eigen::Index>(p)) - slope).cwiseAbs().maxCoeff(),
                2e-5 * slope.cwiseAbs().maxCoeff())
          << integrator << ", " << p;
    }
  }
}

TEST(ShapeParameters, NumbersReadAndSetAgainLeaveABodyAsItWas) {
  Body feet = bricks().bodies[1];
  set_value(feet, Quantity::kFriction, value_of(feet, Quantity::kFriction));
  EXPECT_EQ(feet.shapes[0].material.friction, 0.2);
  EXPECT_EQ(feet.shapes[1].material.friction, 0.6);
  set_value(feet, Quantity::kFriction, 0.25);
  EXPECT_EQ(feet.shapes[0].material.friction, 0.25);
  EXPECT_DOUBLE_EQ(feet.shapes[1].material.friction, 0.65);
}

TEST(ShapeParameters, APoseIsNoNumber) {
  Body feet = bricks().bodies[1];
  const std::string told =
      "parameter: shape_shift_y of body 'feet' is a pose, which has no one number to read or to set";
  EXPECT_EQ(test::refusal([&] { value_of(feet, Quantity::kShapeShiftY); }), told);
  EXPECT_EQ(test::refusal([&] { set_value(feet, Quantity::kShapeShiftY, 7); }), told);
}

TEST(ShapeParameters, StepsThatDidNotConvergeSaySoInTheirDerivatives) {
  Scene scene = test::scene_of(
      "gravity 0 0 0\nbody a 1 0.011 0.02 0.03 0 0 0 1 0 0 0 0 0 0 2e4 2e4 1e4 1\n"
      " sphere 0.1 0 0 0 1 0 0 0\n");
  StepConfig config = config_of("implicit");
  config.dt = 1e-2;
  config.integrator_settings = {{"iterations", 1}};
  const System system(scene);
  State state = system.initial_state();
  StepDerivatives derivatives;
  const StepReport report = make_integrator(system, config)->step(state, {}, derivatives);
  EXPECT_EQ(report.solver.status, Status::kNotConverged);
  EXPECT_EQ(derivatives.status, Status::kNotConverged);
}

}  // namespace
