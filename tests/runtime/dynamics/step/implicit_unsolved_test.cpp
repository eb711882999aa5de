// Implicit steps whose equations have no solution that Newton's method could find.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "runtime/dynamics/step/implicit_step.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kStiffness = 1e5;  // N/m
constexpr double kWeight = 9.81;    // N
constexpr double kMoment = 1e-3;    // kg m^2
constexpr double kHeight = 0.01;    // m, of fall
constexpr double kLongest = 8e-3;   // s

// A body of 1 kg that lies on its side or face: the deepest point, where all force acts, jumps from end to
// end.
struct Flat {
  const char* shape;
  const char* q;
  double half;  // of its height, m
};
const std::vector<Flat> kFlats = {{"box 0.05 0.05 0.05", "1 0 0 0", 0.05},
                                  {"capsule 0.03 0.05 0", "0.70710678 0.70710678 0 0", 0.03},
                                  {"cyl 0.04 0.05", "0.70710678 0.70710678 0 0", 0.04}};

// At the given gap from the floor; alone or beside a joint, with which the steps are those of trees.
System lying(const Flat& flat, double gap, bool jointed) {
  const std::string pendulum =
      "body bob 1 1e-3 1e-3 1e-3 0 5 0 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint swing revolute world 0 5 1 1 0 0 0 0 1 0\n";
  return System(test::scene_of("gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nbody flat 1 1e-3 1e-3 1e-3 0 0 " +
                               std::to_string(flat.half + gap) + " " + flat.q + " 0 0 0 0 0 0 1\n " +
                               flat.shape + " 0 0 0 1 0 0 0\n" + (jointed ? pendulum : "")));
}

// Few iterations, since they are in vain.
StepConfig with_point(double dt, double stiffness = kStiffness) {
  StepConfig config{.dt = dt, .integrator = "implicit", .integrator_settings = {{"iterations", 1}}};
  config.source = {.model = "point", .settings = {{"stiffness", stiffness}}};
  return config;
}

// It sinks no deeper than without losses, at no time has it more energy than at first, and long steps take it
// to the depth at which the force carries it.
void fall(const Flat& flat, bool jointed, double dt) {
  const System system = lying(flat, kHeight, jointed);
  State state = system.initial_state();
  const double energy = system.potential_energy(state, 0), carried = kWeight / kStiffness;
  const double deepest = carried + std::sqrt(carried * carried + 2 * carried * kHeight);
  const auto integrator = make_integrator(system, with_point(dt));
  int unsolved = 0;
  for (int k = 0; k < std::lround(1 / dt); ++k) {
    const StepReport& report = integrator->step(state, {});
    unsolved += report.solver.status == Status::kNotConverged;
    EXPECT_FALSE(report.missed_contacts);
    ASSERT_LE(system.kinetic_energy(state, 0) + system.potential_energy(state, 0), energy + 1e-9) << k;
    ASSERT_GE(state.bodies[0].p_WB.z(), flat.half - 1.01 * deepest) << k;
  }
  EXPECT_GT(unsolved, 100);
  if (dt < kLongest) return;
  EXPECT_NEAR(state.bodies[0].p_WB.z(), flat.half - carried, 2e-6);
  EXPECT_LT(state.bodies[0].v_WB.norm(), 1e-3);
}

TEST(ImplicitUnsolved, WhatFallsOnALineOrAFaceComesToRest) {
  const std::vector<double> dts =
      test::full_tier() ? std::vector{5e-4, 2e-3, kLongest} : std::vector{kLongest};
  for (const Flat& flat : test::fewer_if_sanitized(kFlats))
    for (const bool jointed : {false, true})
      for (const double dt : dts) {
        SCOPED_TRACE(std::string(flat.shape) + (jointed ? ", beside a joint, " : ", ") + std::to_string(dt));
        fall(flat, jointed, dt);
      }
}

// Stiffer than an explicit part of a step could follow.
TEST(ImplicitUnsolved, WhatIsStiffGainsNoEnergy) {
  for (const Flat& flat : kFlats)
    for (const bool jointed : {false, true}) {
      SCOPED_TRACE(std::string(flat.shape) + (jointed ? ", beside a joint" : ""));
      const System system = lying(flat, kHeight, jointed);
      State state = system.initial_state();
      const double energy = system.potential_energy(state, 0);
      const auto integrator = make_integrator(system, with_point(kLongest, 1e9));
      for (int k = 0; k < 30; ++k) {
        integrator->step(state, {});
        ASSERT_LE(system.kinetic_energy(state, 0) + system.potential_energy(state, 0), energy + 1e-9) << k;
        ASSERT_GE(state.bodies[0].p_WB.z(), flat.half - 1e-3) << k;
      }
    }
}

// A capsule that lies at the depth at which it is carried, by a force at one end after the other: each part's
// equations are off by that force's moment, and the step's by the sum.
TEST(ImplicitUnsolved, TheResidualIsThatOfTheWholeStep) {
  for (const bool jointed : {false, true}) {
    const System system = lying(kFlats[1], -kWeight / kStiffness, jointed);
    State state = system.initial_state();
    const auto integrator = make_integrator(system, with_point(kLongest));
    StepDerivatives derivatives;
    for (int k = 0; k < 5; ++k) {
      const StepReport& report = integrator->step(state, {}, derivatives);
      EXPECT_EQ(report.substeps, 64);
      EXPECT_EQ(report.solver.status, Status::kNotConverged);
      EXPECT_EQ(derivatives.status, Status::kNotConverged);
      const double arm = 0.05, expected = kLongest * kWeight * arm / std::sqrt(kMoment);
      EXPECT_NEAR(report.solver.residual, expected, 0.1 * expected) << k;
    }
  }
}

}  // namespace
