#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Makes the integrator with the published step [Kaufman2005]: half a step of the configuration with the last
// twist; contacts there that touch or penetrate; forces with the explicit gyroscopic term; the contact solver
// (by default `published`); and, from the configuration before the half step, E exp([phi] h) with the new
// twist. Nothing is stabilised.
std::unique_ptr<Integrator> make_kaufman_step(const System& system, const StepConfig& config);

std::vector<SettingInfo> kaufman_settings();  // empty: it has no settings

}  // namespace abut::dynamics
