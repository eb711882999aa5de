#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// The published step [Kaufman2005]: half a step of the configuration with the last twist, contacts there that
// touch or penetrate, forces with the explicit gyroscopic term, the contact solver (its own: `published`),
// and from the configuration before the half step E exp([phi] h) with the new twist. Nothing is stabilised.
std::unique_ptr<Integrator> make_kaufman_step(const System& system, const StepConfig& config);

std::vector<SettingInfo> kaufman_settings();  // none

}  // namespace abut::dynamics
