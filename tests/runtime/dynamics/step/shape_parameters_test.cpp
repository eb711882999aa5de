// Derivatives of steps by what the shapes of bodies are: poses of shapes that hardly touch, materials beside
// them, several materials on one body.
#include <gtest/gtest.h>

#include "runtime/core/random.h"
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

// The state after a step with a parameter changed by t, seen from `next`, the one without.
VecX<double> end_with(const Scene& scene, const Parameter& parameter, double t, const StepConfig& config,
                      const SystemTree& tree, const State& next) {
  Scene changed = scene;
  change(changed.bodies[static_cast<std::size_t>(parameter.body)], parameter, t);
  State end = tree.system().initial_state();
  make_integrator(System(changed), config)->step(end, {});
  return tree.difference(next, end);
}

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
      const auto at = [&](double t) { return end_with(scene, parameters[p], t, plain, tree, next); };
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

// Bricks whose two feet have materials far apart, on a floor as soft as one of them. Dissipation and friction
// of zero have a slope towards more.
TEST(ShapeParameters, EqualDifferencesWhereShapesOfABodyAreOfUnlikeMaterials) {
  const auto feet = [](const std::string& one, const std::string& other) {
    return test::scene_of(
        "gravity 0 0 -9.81\nsbox 0 0 -0.5 1 0 0 0 3 3 0.5\nmaterial modulus 1e6 mu 0.5\n"
        "body feet 2 0.01 0.02 0.025 0 0 0.0499 1 0 0 0 0.2 -0.1 -0.1 0 0 0.3 2\n"
        " box 0.02 0.1 0.05 -0.1 0 0 1 0 0 0\nmaterial " +
        one + "\n box 0.02 0.1 0.05 0.1 0 0 1 0 0 0\nmaterial " + other + "\n");
  };
  const struct {
    std::string one, other;
    Quantity quantity;
    double size;  // of differences towards more
  } kCases[] = {{"modulus 1e6 mu 0.5", "modulus 1e6 mu 0", Quantity::kFriction, 1e-4},
                {"modulus 1e6 mu 0.5 dissipation 0.1", "modulus 1e6", Quantity::kDissipation, 1e-3},
                {"modulus 1e9", "modulus 2.1e6", Quantity::kModulus, 1e3},
                {"modulus 1e9", "modulus 1e5", Quantity::kModulus, 1e2},
                {"modulus 1e7", "modulus rigid", Quantity::kModulus, 1e4}};
  for (const auto& [one, other, quantity, size] : kCases)
    for (const std::string_view integrator : kIntegrators) {
      const Parameter parameter{quantity, 0};
      SCOPED_TRACE(std::string(integrator) + ", " + one + ", " + other);
      const Scene scene = feet(one, other);
      const System system(scene);
      const SystemTree tree(system);
      const State start = system.initial_state();
      StepConfig config = config_of(integrator);
      const StepConfig plain = config;
      config.parameters = {parameter};
      const auto stepper = make_integrator(system, config);
      State next = start;
      StepDerivatives derivatives;
      stepper->step(next, {}, derivatives);
      EXPECT_EQ(derivatives.status, Status::kOk);
      const auto at = [&](double t) { return end_with(scene, parameter, t, plain, tree, next); };
      const VecX<double> slope =
          (-25 * at(0) + 48 * at(size) - 36 * at(2 * size) + 16 * at(3 * size) - 3 * at(4 * size)) /
          (12 * size);
      EXPECT_GT(slope.norm(), 0);
      EXPECT_LT((derivatives.parameter.col(0) - slope).cwiseAbs().maxCoeff(),
                1e-4 * slope.cwiseAbs().maxCoeff());
      State again = start;
      stepper->step(again, {});
      EXPECT_LT(tree.difference(next, again).norm(), 1e-13);
    }
}

// Two boxes near one another in any pose and motion.
Scene boxes_in_motion(Random& random) {
  std::string text = "gravity 0 0 0\n";
  const auto add = [&](double number) { text += std::to_string(number) + ' '; };
  const auto add_normal = [&](double size) {
    for (int k = 0; k < 3; ++k) add(size * random.normal());
  };
  const auto add_body = [&](const std::string& name, double spread, const std::string& box) {
    text += "body " + name + " 1 0.002 0.003 0.0025 ";
    add_normal(spread);
    Eigen::Vector4d q;
    for (double& number : q) number = random.normal();
    q.normalize();
    for (const double number : q) add(number);
    add_normal(0.2);
    add_normal(2);
    text += "1\n box " + box + '\n';
  };
  add_body("a", 0, "0.05 0.04 0.06 0 0 0 1 0 0 0\nmaterial mu 0.5 modulus 1e5 dissipation 0.3");
  add_body("b", 0.04, "0.04 0.05 0.03 0 0 0 1 0 0 0\nmaterial mu 0.5 modulus 3e5 dissipation 0.5");
  return test::scene_of(text);
}

// Where dissipation leaves no pressure at some points of a patch, the wrench has kinks by the materials, of
// which the differences must not take many.
TEST(ShapeParameters, EqualDifferencesWhereDissipationLeavesNoPressure) {
  constexpr int kScenes = 60;
  const std::vector<Parameter> parameters = {{Quantity::kModulus, 0},
                                             {Quantity::kModulus, 1},
                                             {Quantity::kDissipation, 0},
                                             {Quantity::kDissipation, 1}};
  Random random(11);
  int compared = 0, off = 0;
  for (int i = 0; i < kScenes; ++i) {
    const Scene scene = boxes_in_motion(random);
    const System system(scene);
    const SystemTree tree(system);
    const State start = system.initial_state();
    StepConfig config = config_of("semi_implicit");
    config.dt = 1e-3;
    const StepConfig plain = config;
    config.parameters = parameters;
    State next = start;
    StepDerivatives derivatives;
    make_integrator(system, config)->step(next, {}, derivatives);
    if (derivatives.status != Status::kOk) continue;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const double number =
          value_of(scene.bodies[static_cast<std::size_t>(parameters[p].body)], parameters[p].quantity);
      const auto slope = [&](double size) -> VecX<double> {
        const auto at = [&](double t) { return end_with(scene, parameters[p], t, plain, tree, next); };
        return (at(size) - at(-size)) / (2 * size);
      };
      const VecX<double> told = derivatives.parameter.col(static_cast<Eigen::Index>(p));
      const VecX<double> wide = slope(1e-5 * number), narrow = slope(1e-6 * number);
      const double size = narrow.cwiseAbs().maxCoeff();
      if (size == 0 || (wide - narrow).cwiseAbs().maxCoeff() > 1e-6 * size) continue;
      ++compared;
      off += (told - narrow).cwiseAbs().maxCoeff() > 1e-5 * size;
    }
  }
  EXPECT_GT(compared, 2 * kScenes);
  EXPECT_LE(off, compared / 100);
}

// Moduli of two shapes that meet may be 1e9 apart, and no more.
TEST(ShapeParameters, WhatThrowsLeavesTheMaterialsAsTheyWere) {
  const System system(
      test::scene_of("gravity 0 0 -9.81\nsbox 0 0 -0.5 1 0 0 0 3 3 0.5\nmaterial modulus 1e6\n"
                     "body brick 2 0.01 0.02 0.025 0 0 0.0499 1 0 0 0 0 0 0 0 0 0 1\n"
                     " box 0.2 0.1 0.05 0 0 0 1 0 0 0\nmaterial modulus 1e15\n"));
  for (const std::string_view integrator : kIntegrators) {
    StepConfig config = config_of(integrator);
    config.parameters = {{Quantity::kModulus, 0}};
    const auto stepper = make_integrator(system, config);
    State state = system.initial_state(), plain = state;
    StepDerivatives derivatives;
    EXPECT_NE(test::refusal([&] { stepper->step(state, {}, derivatives); }), "") << integrator;
    EXPECT_EQ(stepper->step(plain, {}).status(), Status::kOk) << integrator;
  }
}

}  // namespace
