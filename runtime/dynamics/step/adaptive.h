#pragma once

#include <functional>
#include <memory>

#include "runtime/dynamics/step/integrator.h"

// Steps with an error bound, of any integrator whose forces are smooth.
namespace abut::dynamics {

struct AdaptiveConfig {
  double error = 0;   // bound for a step of dt, m; 0: steps are taken as they are
  int halvings = 10;  // at most, of dt
};

// The settings that error bounds add to an integrator's.
template <class Config>
constexpr Setting<Config> kAdaptiveSettings[] = {
    {"error", "m", from_to(0, 1e6),
     "bound for the error of a step: bodies' places, and their speeds times dt; 0: none",
     setting<Config, &Config::adaptive, &AdaptiveConfig::error>},
    {"halvings", "", from_to(1, 20), "of the time step at most, to keep the error bound",
     setting<Config, &Config::adaptive, &AdaptiveConfig::halvings>},
};

using MakeIntegrator = std::function<std::unique_ptr<Integrator>(const System&, const StepConfig&)>;

// make(system, config); with an error bound its steps are cut into halves, these again, and so on: a part of
// length h is accepted where it and two of half its length are apart by at most half of error h / dt, and
// then those two are taken. The sum of what parts are apart is at most error / 2: their distance is that of
// all bodies at most, |dp| + r |dturn| + dt (|dv| + r |dw|), with r the greatest radius of gyration of the
// body, less what places are rounded by; and two halves are off by about 1 / (2^p - 1) of it, p the order of
// the integrator. Of links that weigh nothing those alone count that their armature moves, with how far their
// shapes reach, 1 m without any, as r. A part that is not accepted after `halvings` is taken all the same;
// then the report's solver says kNotConverged. The report counts the parts in `substeps`. Derivatives are
// those of the parts as they are made.
std::unique_ptr<Integrator> make_adaptive(const System& system, const StepConfig& config,
                                          const AdaptiveConfig& adaptive, int order, MakeIntegrator make);

}  // namespace abut::dynamics
