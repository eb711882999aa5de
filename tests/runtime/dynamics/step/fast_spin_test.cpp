// Steps in which bodies turn far: whole turns, free flight, and inertial forces that a step is too long for.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/runtime/dynamics/system/no_asset.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kStep = 4e-3;                               // s
constexpr double kWholeTurn = 2 * std::numbers::pi / kStep;  // rad/s: in a step
constexpr std::string_view kOfTrees[] = {"semi_implicit", "rk4", "implicit"};

StepConfig steps_of(std::string_view integrator) {
  StepConfig config{.dt = kStep, .integrator = std::string(integrator)};
  if (integrator != "midpoint") config.source.model = "soft_potential";
  return config;
}

// A ball, free or on a planar joint across its spin, beside a joint that makes a tree of them.
Scene ball(double spin, bool planar) {
  std::string text = "body ball 1 1e-3 1e-3 1e-3 0 0 0 1 0 0 0 10 3 1 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 0\n";
  if (planar) text += "joint root planar world 0 0 0 1 0 0 0 0 0 1 velocity 1 10 3\n";
  text +=
      "body arm 1 0.01 0.01 0.01 1.5 5 0 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint elbow revolute world 1 5 0 1 0 0 0 0 0 1 velocity 1\n";
  Scene scene = test::scene_of(text);
  if (planar)
    scene.bodies[0].joint->v[0] = spin;
  else
    scene.bodies[0].w_WB_W = spin / std::sqrt(3) * Vec3<double>::Ones();
  return scene;
}

TEST(FastSpin, ABallFliesStraightWhateverItsSpin) {
  constexpr int kSteps = 5;
  for (const double spin : {1.0, 300.0, 1000.0, kWholeTurn * (1 - 1e-7), kWholeTurn, 2 * kWholeTurn, 2e4})
    for (const bool planar : {false, true})
      for (const IntegratorRow& row : integrators()) {
        if (!row.takes_joints) continue;
        SCOPED_TRACE(testing::Message() << row.name << (planar ? " planar " : " free ") << spin);
        const System system(ball(spin, planar));
        State state = system.initial_state();
        const Vec3<double> v = state.bodies[0].v_WB;
        const auto integrator = make_integrator(system, steps_of(row.name));
        for (int k = 0; k < kSteps; ++k) EXPECT_EQ(integrator->step(state, {}).status(), Status::kOk);
        EXPECT_LT((state.bodies[0].v_WB - v).norm(), 1e-9 * v.norm());
        EXPECT_LT((state.bodies[0].p_WB - kSteps * kStep * v).norm(), 1e-9 * kSteps * kStep * v.norm());
      }
}

TEST(FastSpin, SlopesAreThoseOfTheStepAtWholeTurns) {
  for (const double spin : {kWholeTurn / 3, kWholeTurn, 2 * kWholeTurn})
    for (const bool planar : {false, true})
      for (const std::string_view name : kOfTrees) {
        SCOPED_TRACE(testing::Message() << name << (planar ? " planar " : " free ") << spin);
        const System system(ball(spin, planar));
        test::StepDifferences differences(system, steps_of(name));
        State state = system.initial_state(), next = state;
        StepDerivatives derivatives;
        differences.integrator().step(next, {}, derivatives);
        const Eigen::Index size = differences.size();
        for (Eigen::Index k = 0; k < size; ++k) {
          const VecX<double> column = derivatives.state.col(k),
                             slope = differences.slope(state, VecX<double>::Unit(size, k), 1e-3);
          EXPECT_LT((column - slope).norm(), 1e-7 * (1 + slope.norm())) << k;
        }
      }
}

// Two bodies on revolute joints; the second turns back against the first.
Scene double_pendulum(double spin) {
  Scene scene = test::scene_of(
      "body a 1 0.01 0.01 0.01 0.5 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint shoulder revolute world 0 0 0 1 0 0 0 0 0 1 velocity 1\n"
      "body b 1 0.01 0.01 0.01 1.5 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint elbow revolute a 1 0 0 1 0 0 0 0 0 1 velocity -0.7\n");
  for (Body& body : scene.bodies) body.joint->v *= spin;
  return scene;
}

// A free body that turns about no principal axis, beside the arm of ball().
Scene tumbling(double spin) {
  Scene scene = ball(0, false);
  scene.bodies[0].inertia = {1e-3, 2e-3, 2.7e-3};
  scene.bodies[0].w_WB_W = spin * Vec3<double>(1, 0.3, 0.2);
  scene.bodies[0].v_WB.setZero();
  return scene;
}

// Steps until one is told, and the factor by which the kinetic energy has changed before.
struct Told {
  bool told = false;
  double stable_dt = INFINITY, growth = 1;
};
Told until_told(const Scene& scene, StepConfig config, double time) {
  const System system(scene);
  State state = system.initial_state();
  double start = 0;
  for (std::size_t i = 0; i < system.body_count(); ++i) start += system.kinetic_energy(state, i);
  const auto integrator = make_integrator(system, config);
  Told told;
  for (int k = 0; k < std::lround(time / config.dt); ++k) {
    const StepReport& report = integrator->step(state, {});
    told.stable_dt = report.stable_dt;
    if ((told.told = report.status() != Status::kOk)) break;
    told.growth = std::max(told.growth, report.kinetic / start);
  }
  return told;
}

TEST(FastSpin, StepsTooLongForInertialForcesAreToldBeforeTheyAddMuch) {
  for (const std::string_view name : {"semi_implicit", "rk4"})
    for (const double spin : {300.0, 500.0, 1000.0, 3000.0}) {
      SCOPED_TRACE(testing::Message() << name << " " << spin);
      const Told told = until_told(double_pendulum(spin), steps_of(name), 20 * kStep);
      EXPECT_LT(told.growth, 1.5);
      ASSERT_TRUE(told.told);
      EXPECT_LT(told.stable_dt, kStep);
      EXPECT_GT(told.stable_dt, 1e-2 * kStep);
      StepConfig shorter = steps_of(name);
      shorter.dt = told.stable_dt / 4;
      const Told after = until_told(double_pendulum(spin), shorter, 2 * kStep);
      EXPECT_FALSE(after.told);
      EXPECT_LT(after.growth, 2);
    }
  for (const double spin : {1500.0, 5000.0}) {
    const Told told = until_told(tumbling(spin), steps_of("rk4"), 20 * kStep);
    EXPECT_LT(told.growth, 1.5) << spin;
    EXPECT_TRUE(told.told) << spin;
  }
}

TEST(FastSpin, SlowMotionsAreNotTold) {
  for (const std::string_view name : {"semi_implicit", "rk4"}) {
    EXPECT_FALSE(until_told(double_pendulum(5), steps_of(name), 2).told) << name;
    EXPECT_FALSE(until_told(tumbling(20), steps_of(name), 2).told) << name;
  }
}

}  // namespace
