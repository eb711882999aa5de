#pragma once

#include "runtime/dynamics/step/adaptive.h"
#include "runtime/dynamics/step/motion_equations.h"

namespace abut::dynamics {

// Settings of the explicit integrators.
struct ExplicitSettings {
  JointForceConfig joints;
  AdaptiveConfig adaptive;
};

ExplicitSettings explicit_config(const StepConfig& config);
std::vector<SettingInfo> explicit_settings();

}  // namespace abut::dynamics
