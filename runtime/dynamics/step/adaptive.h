#pragma once

#include <functional>
#include <memory>

#include "runtime/dynamics/step/integrator.h"

// Steps with an error bound, for any integrator with smooth forces.
namespace abut::dynamics {

// Settings of steps with an error bound.
struct AdaptiveConfig {
  double error = 0;   // bound for a step of dt, m; 0: steps are not divided
  int halvings = 10;  // largest number of halvings of dt
};

// Settings of the error bound, to include in an integrator's table.
template <class Config>
constexpr Setting<Config> kAdaptiveSettings[] = {
    {"error", "m", from_to(0, 1e6),
     "bound for the error of a step: bodies' places, and their speeds times dt; 0: none",
     setting<Config, &Config::adaptive, &AdaptiveConfig::error>},
    {"halvings", "", from_to(1, 20), "of the time step at most, to keep the error bound",
     setting<Config, &Config::adaptive, &AdaptiveConfig::halvings>},
};

using MakeIntegrator = std::function<std::unique_ptr<Integrator>(const System&, const StepConfig&)>;

// Returns make(system, config); with an error bound, an integrator that divides its steps into halves, these
// again, and so on. A part of length h is accepted where its result and that of two parts of half the length
// are apart by at most half of error h / dt; then the two halves are kept. So these distances sum up to at
// most error / 2 over a step. The distance of two states is the largest of any body, |dp| + r |dturn| + dt
// (|dv| + r |dw|) with the body's largest radius of gyration r, less the rounding of positions; the error of
// two halves is about 1 / (2^p - 1) of it, with p the order of the integrator. Links without mass are counted
// only if they have an armature to move and nothing they carry has mass; then r is the reach of their shapes,
// or 1 m without shapes. A part that is not accepted after `halvings` is kept all the same, and the report's
// solver status is kNotConverged. The report counts the parts in `substeps`. Derivatives are those of the
// parts as computed.
std::unique_ptr<Integrator> make_adaptive(const System& system, const StepConfig& config,
                                          const AdaptiveConfig& adaptive, int order, MakeIntegrator make);

}  // namespace abut::dynamics
