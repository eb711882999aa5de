#pragma once

#include <algorithm>
#include <vector>

#include "tests/support/random_piles.h"

// Steps with rigid contact and friction, solved as far as numbers go, and their derivatives.
namespace abut::test {

inline constexpr double kStep = 2e-3;  // s

inline StepConfig exact_config() { return {.dt = kStep, .solver_settings = {{"tolerance", 1e-13}}}; }

inline bool has_kink(const StepDerivatives& derivatives, StepKink::Kind kind) {
  return std::any_of(derivatives.kinks.begin(), derivatives.kinks.end(),
                     [kind](const StepKink& kink) { return kink.kind == kind; });
}

// A box that slides without turning, pressed 1 um into a floor, which it strikes at 1 mm/s.
inline Scene sliding_box(double speed) {
  Scene scene;
  scene.gravity = kGravity;
  scene.fixed.push_back(floor_at(0));
  scene.bodies.push_back(free_box("box", {0.1, 0.08, 0.05}, 2, {0, 0, 0.05 - 1e-6}));
  scene.bodies.back().v_WB = {speed, 0, -1e-3};
  scene.set_material({.friction = 0.4});
  return scene;
}

inline StepDerivatives derivatives_of(const Scene& scene, const std::vector<Parameter>& parameters = {}) {
  const System system(scene);
  StepConfig config = exact_config();
  config.parameters = parameters;
  State state = system.initial_state();
  StepDerivatives derivatives;
  make_integrator(system, config)->step(state, {}, derivatives);
  return derivatives;
}

}  // namespace abut::test
