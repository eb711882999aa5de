#pragma once

#include "runtime/dynamics/solve/smoothed_friction.h"
#include "runtime/dynamics/step/adaptive.h"
#include "runtime/dynamics/step/motion_equations.h"

namespace abut::dynamics {

// Settings of the implicit integrator; those of joints have no effect on scenes without joints.
struct ImplicitSettings {
  double tolerance = 1e-9;  // m/s
  int iterations = 50;
  JointForceConfig joints{.stiction_speed = kImplicitStiction};
  AdaptiveConfig adaptive;
};

ImplicitSettings implicit_config(const SettingValues& values);

}  // namespace abut::dynamics
