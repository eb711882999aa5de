#include "runtime/dynamics/step/simulation.h"

#include <string>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/contact_stage.h"

namespace abut::dynamics {

Simulation::Simulation(const Scene& scene, const StepConfig& config)
    : config_(config),
      system_(scene),
      state_(system_.initial_state()),
      integrator_(make_integrator(system_, config_)) {
  measure(system_, state_, report_);
}

const StepReport& Simulation::step(const Control& control) {
  before_ = state_;
  stepped_ = false;
  try {
    report_ = integrator_->step(state_, control);
  } catch (...) {
    state_ = before_;
    throw;
  }
  ++steps_;
  stepped_ = true;
  return report_;
}

void Simulation::restore(const State& state, std::int64_t steps) {
  system_.require_valid(state);
  if (steps < 0 || steps > kMaxSteps)
    throw InvalidInput("simulation: the state is that after " + std::to_string(steps) +
                       " steps; there can be 0 to " + std::to_string(kMaxSteps));
  const State placed = system_.placed(state);
  StepReport report;
  measure(system_, placed, report);
  state_ = placed;
  steps_ = steps;
  report_ = report;
  stepped_ = false;
}

}  // namespace abut::dynamics
