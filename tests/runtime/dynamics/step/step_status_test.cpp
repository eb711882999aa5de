// What steps say of themselves where contacts were missed, derivatives of contact do not tell, or numbers
// end.
#include <gtest/gtest.h>

#include "runtime/dynamics/step/simulation.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

// Balls in a row, each thrown at the next one within a step: more of them than a step searches anew.
TEST(ImplicitStep, ABallThatIsThrownPassesNoOther) {
  std::string text;
  for (int k = 0; k < 7; ++k)
    text += "body ball" + std::to_string(k) + " 1 1e-3 1e-3 1e-3 " + std::to_string(0.101 * k) +
            " 0 0 1 0 0 0 " + (k == 0 ? "8" : "0") + " 0 0 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 0\n";
  const std::string pendulum =
      "body bob 1 1e-3 1e-3 1e-3 0 5 0 1 0 0 0 0 0 0 0 0 0 0\njoint swing revolute world 0 5 1 1 0 0 0 0 1 "
      "0\n";
  for (const char* name : {"implicit", "midpoint"})
    for (const bool jointed : {false, true}) {
      SCOPED_TRACE(std::string(name) + (jointed ? ", beside a joint" : ""));
      const System system(test::scene_of(jointed ? text + pendulum : text));
      StepConfig config;
      config.dt = 8e-3;
      config.integrator = name;
      if (config.integrator == "implicit")
        config.source = {.model = "point", .settings = {{"stiffness", 1e6}}};
      State state = system.initial_state();
      const auto integrator = make_integrator(system, config);
      int solved = 0;
      for (; solved < 10; ++solved) {
        const StepReport report = integrator->step(state, {});
        if (report.status() != Status::kOk) {
          EXPECT_TRUE(report.missed_contacts);
          break;  // said
        }
        for (std::size_t i = 1; i < 7; ++i)
          EXPECT_GT(state.bodies[i].p_WB.x() - state.bodies[i - 1].p_WB.x(), 0.05)
              << "step " << solved << ", ball " << i;
      }
      EXPECT_GT(solved, 0);
      if (config.integrator == "implicit" && !jointed) {
        EXPECT_EQ(solved, 10);  // it is halved
      }
    }
}

// What is said of one step of two shapes by the model `point`.
struct Said {
  StepReport report;
  StepDerivatives derivatives;
};
Said said_of(const Scene& scene, const std::string& integrator) {
  const System system(scene);
  StepConfig config;
  config.dt = 1e-5;
  config.integrator = integrator;
  config.source.model = "point";
  State state = system.initial_state();
  Said said;
  said.report = make_integrator(system, config)->step(state, {}, said.derivatives);
  return said;
}

// Flat faces, whose witness points have no one direction to move in.
TEST(CompliantContact, WhatTheModelSaysOfItsAnswerIsSaidOfTheStep) {
  const std::string joint = "joint slide prismatic world 0 0 0 1 0 0 0 0 0 1\n";
  const struct {
    std::string shapes[2];
    Status of_step, of_derivatives;
  } kCases[] = {{{"box 0.1 0.1 0.1", "box 0.05 0.05 0.101"}, Status::kOk, Status::kClamped},
                {{"sphere 0.1", "sphere 0.05"}, Status::kOk, Status::kOk}};
  for (const auto& [shapes, of_step, of_derivatives] : kCases)
    for (const bool jointed : {false, true})
      for (const char* integrator : {"implicit", "semi_implicit", "rk4"}) {
        SCOPED_TRACE(std::string(integrator) + ", " + shapes[0] + (jointed ? ", jointed" : ""));
        const std::string inertia = " 1 1e-2 1e-2 1e-2 0 0 ", rest = " 1 0 0 0 0 0 0 0 0 0 1\n ",
                          at = " 0 0 0 1 0 0 0\n";
        const Scene scene =
            test::scene_of("body a" + inertia + "0" + rest + shapes[0] + at + (jointed ? joint : "") +
                           "body b" + inertia + "0.14" + rest + shapes[1] + at);
        const Said said = said_of(scene, integrator);
        EXPECT_EQ(said.report.contacts, 1);
        EXPECT_EQ(said.report.status(), of_step);
        EXPECT_EQ(said.derivatives.status, of_derivatives);
      }
}

// Between the steps' ends too, before contact is asked there.
TEST(JointStep, WhatLeavesTheFiniteNumbersIsToldWithAdvice) {
  const System system(test::scene_of(
      "plane 0 0 1 0\nbody slider 1e-60 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 0\n"
      "joint slider prismatic world 0 0 0 1 0 0 0 0 0 1 stiffness 1e100\n"));
  const std::pair<const char*, const char*> told[] = {
      {"rk4",
       "simulation: a joint has left the finite numbers; the time step of 0.001 s is too long for the "
       "stiffness or the spin: take a much smaller one or the integrator implicit"},
      {"semi_implicit", "simulation: body 'slider' has left the finite numbers; take a smaller time step"}};
  for (const auto& [name, words] : told) {
    StepConfig config;
    config.dt = 1e-3;
    config.integrator = name;
    config.source = {.model = "point", .settings = {{"stiffness", 1e6}}};
    const auto integrator = make_integrator(system, config);
    EXPECT_EQ(test::refusal([&] {
                State state = system.initial_state();
                state.q[0] = 0.049;
                for (int k = 0; k < 10; ++k) integrator->step(state, {});
              }),
              words)
        << name;
  }
}

// A stack of four cubes of 0.1 m, the topmost heavy, at x.
std::string stack_at(double x) {
  std::string text;
  for (int k = 0; k < 4; ++k)
    text += "body s" + std::to_string(x) + std::to_string(k) + (k < 3 ? " 1" : " 20") +
            " 0.001 0.001 0.001 " + std::to_string(x) + " 0 " + std::to_string(0.05 + 0.1 * k) +
            " 1 0 0 0 0 0 0 0 0 0 1\n box 0.05 0.05 0.05 0 0 0 1 0 0 0\n";
  return text;
}
const std::string kOnPlane = "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n";

TEST(Simulation, WhatTumblesFarAwayTakesNoPart) {
  const auto contacts = [](const std::string& scene) {
    Simulation simulation(test::scene_of(scene));
    int most = 0;
    for (int k = 0; k < 20; ++k) most = std::max(most, simulation.step().contacts);
    return most;
  };
  const std::string needle =
      "body needle 0.01 1.3e-4 1.3e-4 8e-8 2 0 2 1 0 0 0 0 0 1 10 0 0 1\n cyl 0.002 0.2 0 0 0 1 0 0 0\n";
  EXPECT_EQ(contacts(kOnPlane + stack_at(0) + needle), contacts(kOnPlane + stack_at(0)));
}

// Beside a gap of 0.9 mm, which could close at 450 m/s only.
TEST(Simulation, StepsThatAreOkHoldWhatRests) {
  const double dt = 2e-6;
  Simulation simulation(test::scene_of(kOnPlane + stack_at(0) + stack_at(0.1009)), {.dt = dt});
  for (int k = 0; k < 100; ++k) {
    if (simulation.step().solver.status != Status::kOk) continue;
    for (const BodyState& state : simulation.states()) EXPECT_LT(state.v_WB.norm(), 1e-6 * 9.81 * dt) << k;
  }
}

}  // namespace
