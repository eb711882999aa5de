// Gradients of many steps, forwards and backwards, beside differences; many rollouts at once.
#include "runtime/dynamics/rollout/rollout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/core/error.h"
#include "tests/support/massless_link.h"
#include "tests/support/refusal.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using test::massless_link;

// A bar in the plane, on a viscous table, and a ball on drives beside it.
Scene pushing() {
  Scene scene;
  const Vec3<double> x = Vec3<double>::UnitX(), y = Vec3<double>::UnitY(), z = Vec3<double>::UnitZ();
  scene.bodies = {massless_link("x", -1, JointType::kPrismatic, x, 4),
                  massless_link("y", 0, JointType::kPrismatic, y, 4),
                  massless_link("bar", 1, JointType::kRevolute, z, 0.02),
                  massless_link("ball_x", -1, JointType::kPrismatic, x, 12),
                  massless_link("ball", 3, JointType::kPrismatic, y, 12)};
  Body &bar = scene.bodies[2], &ball = scene.bodies[4];
  bar.mass = 0.5;
  bar.inertia = {1e-3, 1e-3, 2e-3};
  bar.shapes.push_back({body::Geometry(body::Box<double>{{0.12, 0.02, 0.02}}), {}});
  ball.mass = 0.2;
  ball.inertia.setConstant(1e-5);
  ball.shapes.push_back({body::Geometry(body::Sphere<double>{0.02}), {}});
  for (std::size_t i = 3; i < 5; ++i) scene.bodies[i].joint->joint.stiffness = 200;
  scene.bodies[3].joint->q = VecX<double>::Constant(1, 0.05);
  scene.bodies[4].joint->q = VecX<double>::Constant(1, -0.07);
  scene.set_material({.friction = 0.4});
  return scene;
}

StepConfig config_of(std::string_view integrator, double dt) {
  StepConfig config;
  config.dt = dt;
  config.integrator = integrator;
  config.source.model = "soft_potential";
  config.source.settings = {{"reach", 2e-3}, {"stiffness", 1e8}};
  if (integrator == "implicit") config.integrator_settings = {{"tolerance", 1e-12}};
  return config;
}

// The ball goes through where the bar is.
ControlSequence through(int rows) {
  ControlSequence controls;
  controls.joint_target = MatX<double>::Zero(rows, 5);
  controls.joint_force = MatX<double>::Zero(rows, 5);
  for (int k = 0; k < rows; ++k) {
    controls.joint_target(k, 3) = 0.05 - 0.002 * k;
    controls.joint_target(k, 4) = -0.06 + 0.1 * (k + 1) / rows;
    controls.joint_force(k, 0) = 0.1 * std::sin(k);
  }
  return controls;
}

// A number of the state at the end, and of the one in the middle of the way, whose gradient is asked for.
double cost(const Rollout& rollout, std::span<const State> states, const State& from,
            const MatX<double>& costates) {
  double sum = 0;
  for (std::size_t k = 0; k < states.size(); ++k)
    sum += costates.row(static_cast<Eigen::Index>(k)).dot(rollout.coordinates().difference(from, states[k]));
  return sum;
}

MatX<double> some_costates(Eigen::Index rows) {
  MatX<double> costates = MatX<double>::Zero(rows, 10);
  costates.row(rows - 1) << 1, -2, 0.5, 0.3, 0.1, 0.05, -0.03, 0.01, 0, 0.02;
  costates.row(rows / 2) << -0.5, 1, 0.2, 0, 0.4, 0, 0.02, 0, 0.01, 0;
  return costates;
}

// Of fourth order, by what `at` changes.
double slope(const std::function<double(double)>& at, double size) {
  return (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
}

constexpr int kRows = 50, kSteps = 10;  // 500 steps

TEST(Rollout, GradientsOfFiveHundredStepsEqualDifferences) {
  const System system(pushing());
  for (const char* name : {"semi_implicit", "rk4", "implicit"}) {
    SCOPED_TRACE(name);
    Rollout rollout(system, config_of(name, 2e-3), kSteps);
    const State start = system.initial_state();
    ControlSequence controls = through(kRows);
    const MatX<double> costates = some_costates(kRows);
    rollout.run(start, controls);
    const RolloutGradient gradient = rollout.gradient(costates);
    const auto by = [&](double& entry, double size) {
      const double middle = entry;
      return slope(
          [&](double t) {
            entry = middle + t;
            const double value = cost(rollout, rollout.run(start, controls), start, costates);
            entry = middle;
            return value;
          },
          size);
    };
    const double most_target = gradient.joint_target.cwiseAbs().maxCoeff(),
                 most_force = gradient.joint_force.cwiseAbs().maxCoeff();
    EXPECT_GT(most_target, 1e-2);
    for (const auto& [k, joint] :
         test::fewer_if_sanitized(std::vector<std::pair<int, int>>{{12, 3}, {20, 4}, {33, 3}})) {
      EXPECT_NEAR(gradient.joint_target(k, joint), by(controls.joint_target(k, joint), 2e-5),
                  1e-6 * most_target)
          << k << ", " << joint;
      EXPECT_NEAR(gradient.joint_force(k, joint), by(controls.joint_force(k, joint), 2e-3), 1e-6 * most_force)
          << k << ", " << joint;
    }
  }
}

TEST(Rollout, GradientsOfStatesThatAnotherOneFoundHaveTheSameBits) {
  const System system(pushing());
  const StepConfig config = config_of("semi_implicit", 2e-3);
  Rollout first(system, config, 3), second(system, config, 3);
  const State start = system.initial_state();
  const ControlSequence controls = through(20);
  const MatX<double> costates = some_costates(20);
  const auto states = first.run(start, controls);
  const RolloutGradient other = second.gradient(start, controls, states, costates);
  EXPECT_EQ(first.gradient(costates).joint_target, other.joint_target);
  EXPECT_THROW(second.gradient(start, controls, states.first(19), costates), InvalidInput);
}

TEST(Rollout, QuantitiesHaveNames) {
  EXPECT_EQ(find_quantity("mass"), Quantity::kMass);
  EXPECT_EQ(find_quantity("moment_z"), Quantity::kMomentZ);
  EXPECT_EQ(find_quantity("dissipation"), Quantity::kDissipation);
  EXPECT_THROW(find_quantity("weight"), InvalidInput);
}

TEST(Rollout, ForwardsAndBackwardsAgree) {
  const System system(pushing());
  StepConfig config = config_of("implicit", 8e-3);
  config.parameters = {{Quantity::kMass, 2}, {Quantity::kFriction, 2}, {Quantity::kFriction, 4}};
  Rollout rollout(system, config, 3);
  const State start = system.initial_state();
  const ControlSequence controls = through(40);
  const MatX<double> costates = some_costates(40);
  rollout.run(start, controls);
  const RolloutGradient back = rollout.gradient(costates);
  RolloutGradient forth;
  forth.start.setZero(10);
  forth.parameter.setZero(3);
  VecX<double> force = VecX<double>::Zero(200), target = force;
  rollout.differentiate(start, controls, [&](Eigen::Index k, const State&, const RolloutJacobian& by) {
    forth.start += (costates.row(k) * by.start).transpose();
    force += (costates.row(k) * by.joint_force).transpose();
    target += (costates.row(k) * by.joint_target).transpose();
    forth.parameter += (costates.row(k) * by.parameter).transpose();
  });
  EXPECT_LT((back.start - forth.start).norm(), 1e-12 * back.start.norm());
  EXPECT_LT((back.parameter - forth.parameter).norm(), 1e-12 * back.parameter.norm());
  EXPECT_LT((back.joint_force.reshaped<Eigen::RowMajor>() - force).norm(), 1e-12 * force.norm());
  EXPECT_LT((back.joint_target.reshaped<Eigen::RowMajor>() - target).norm(), 1e-12 * target.norm());
  EXPECT_GT(back.parameter.cwiseAbs().minCoeff(), 1e-6);
}

TEST(Rollout, GradientsByMassesMaterialsAndPosesOfShapesEqualDifferences) {
  Scene scene = pushing();
  const std::vector<Parameter> parameters =
      test::fewer_if_sanitized(std::vector<Parameter>{{Quantity::kMass, 2},
                                                      {Quantity::kMomentZ, 2},
                                                      {Quantity::kFriction, 2},
                                                      {Quantity::kMass, 4},
                                                      {Quantity::kFriction, 4},
                                                      {Quantity::kShapeShiftY, 2},
                                                      {Quantity::kShapeShiftY, 4},
                                                      {Quantity::kShapeTurnZ, 2}});
  for (const char* name : {"semi_implicit", "rk4", "implicit"}) {
    SCOPED_TRACE(name);
    StepConfig config = config_of(name, 4e-3);
    config.parameters = parameters;
    const System system(scene);
    Rollout rollout(system, config, 5);
    const State start = system.initial_state();
    const ControlSequence controls = through(kRows);
    const MatX<double> costates = some_costates(kRows);
    rollout.run(start, controls);
    const RolloutGradient gradient = rollout.gradient(costates);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Body& body = scene.bodies[static_cast<std::size_t>(parameters[i].body)];
      const Body unchanged = body;
      const auto at = [&](double t) {
        change(body, parameters[i], t);
        Rollout changed(System(scene), config, 5);
        const double sum = cost(changed, changed.run(start, controls), start, costates);
        body = unchanged;
        return sum;
      };
      const bool of_pose = of_shape_pose(parameters[i].quantity);
      const double difference = slope(at, of_pose ? 1e-5 : 2e-3 * value_of(body, parameters[i].quantity));
      EXPECT_NEAR(gradient.parameter[static_cast<Eigen::Index>(i)], difference, 2e-6 * std::abs(difference))
          << "parameter " << i;
    }
  }
}

TEST(Rollout, GoesOnFromAStateOfItsOwn) {
  const System system(pushing());
  Rollout rollout(system, config_of("semi_implicit", 2e-3), kSteps),
      other(system, config_of("semi_implicit", 2e-3), kSteps);
  const ControlSequence controls = through(20);
  const std::span<const State> way = rollout.run(system.initial_state(), controls);
  const State middle = way[7];
  const VecX<double> end = other.run(middle, controls).back().q;
  EXPECT_EQ(rollout.run(way[7], controls).back().q, end);
}

TEST(Rollout, ManyAtOnceAreTheSameOnAnyNumberOfThreads) {
  const System system(pushing());
  const StepConfig config = config_of("semi_implicit", 2e-3);
  std::vector<ControlSequence> controls;
  for (int i = 0; i < 7; ++i) {
    controls.push_back(through(20));
    controls.back().joint_target.col(3).array() += 0.01 * i;
  }
  controls[3].joint_force(5, 0) = 1e300;
  const std::vector<State> starts(controls.size(), system.initial_state());
  std::vector<RolloutEnd> one(controls.size()), three(controls.size());
  run_rollouts(system, config, kSteps, starts, controls, one, 1);
  run_rollouts(system, config, kSteps, starts, controls, three, 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].state.q, three[i].state.q) << i;
    EXPECT_EQ(one[i].error, three[i].error) << i;
    EXPECT_EQ(one[i].error.empty(), i != 3) << one[i].error;
  }
  EXPECT_NE(one[0].state.q, one[1].state.q);
  controls[5].joint_target.resize(20, 4), controls[6].joint_target.resize(20, 3);
  for (const int threads : {1, 3})
    EXPECT_EQ(test::refusal([&] { run_rollouts(system, config, kSteps, starts, controls, one, threads); }),
              "rollout 5: controls: targets of joints are (20, 4); they must be (20, 5)");
}

TEST(Rollout, WhatIsWrongIsNamed) {
  Scene scene = pushing();
  const System system(scene);
  const auto refusal = [&](const StepConfig& config, int steps) {
    return test::refusal([&] { Rollout(system, config, steps); });
  };
  StepConfig config = config_of("rk4", 1e-3);
  EXPECT_EQ(refusal(config, 0), "rollout: a row of controls acts for 0 steps; it must be 1 or more");
  config.parameters = {{Quantity::kFriction, 3}};
  EXPECT_EQ(refusal(config, 1), "parameter: friction of body 'ball_x', which has no shapes");
  config.parameters = {{Quantity::kMass, 3}};
  EXPECT_EQ(refusal(config, 1),
            "parameter: mass of body 'ball_x' is not positive and finite: there is no derivative by it");
  config.parameters = {{Quantity::kMass, 9}};
  EXPECT_EQ(refusal(config, 1), "parameter: mass of body 9, but there are 5");
  config.parameters = {};
  config.integrator = "published";
  EXPECT_EQ(refusal(config, 1),
            "rollout: the integrator 'published' has no derivatives; take one of: midpoint, "
            "implicit, semi_implicit, rk4");
  Rollout rollout(system, config_of("rk4", 1e-3), 1);
  EXPECT_THROW(rollout.gradient(MatX<double>::Zero(2, 10)), InvalidInput);
  ControlSequence controls = through(3);
  rollout.run(system.initial_state(), controls);
  EXPECT_EQ(test::refusal([&] { rollout.gradient(MatX<double>::Constant(3, 10, 1e308)); }),
            "rollout: the gradient has left the finite numbers; scale the costates down");
  EXPECT_TRUE(rollout.gradient(MatX<double>::Constant(3, 10, 1e290)).start.allFinite());
  controls.joint_target.resize(3, 4);
  EXPECT_EQ(test::refusal([&] { rollout.run(system.initial_state(), controls); }),
            "controls: targets of joints are (3, 4); they must be (3, 5)");
}

// A drive that is far too stiff for explicit steps.
TEST(Rollout, StepsThatAreNotToBeBelievedAreCounted) {
  Scene scene = pushing();
  scene.bodies[4].joint->joint.stiffness = 1e6;
  const System system(scene);
  const State start = system.initial_state();
  ControlSequence controls = through(3);
  for (const char* name : {"rk4", "implicit"}) {
    Rollout rollout(system, config_of(name, 2e-3), 2);
    const RolloutEnd end = rollout.end(start, controls);
    EXPECT_EQ(end.error, "") << name;
    rollout.run(start, controls);
    EXPECT_EQ(rollout.not_converged(), end.not_converged) << name;
    const RolloutGradient gradient = rollout.gradient(MatX<double>::Ones(3, 10));
    EXPECT_EQ(gradient.kinks, end.not_converged) << name;
    if (std::string_view(name) == "rk4")
      EXPECT_GT(end.not_converged, 3);
    else
      EXPECT_EQ(end.not_converged, 0);
  }
}

TEST(Rollout, ContactSolversWithoutDerivativesAreRefused) {
  const System system(pushing());
  EXPECT_EQ(test::refusal([&] { Rollout(system, {.solver = "published"}, 1); }),
            "rollout: steps with the contact solver 'published' have no derivatives; take one of: coupled");
}

}  // namespace
