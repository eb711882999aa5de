#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Backward Euler in the coordinates of a system's tree: v' with
//   M(q') a + b(q', v') = tau(q', v'),   a and q' by v and v' (tree/euler.h),
// of contact models, joints and control, however stiff. Newton's method with the models' own derivatives; a
// step of it is shortened until the residual, in the kinetic metric, falls. Where that ends above the
// tolerance, by way of smoothed friction too (solve/smoothed_friction.h), the time step is made as two of
// half its length, and so on, up to kMostHalvings times (implicit_step.h); then the report's solver says
// kNotConverged, and the state is the best that was found. Its residual is the velocity by which the mass of
// bodies that joints connect, or of one alone, is off at most, m/s. Derivatives by the implicit function
// theorem.
std::unique_ptr<Integrator> make_implicit_tree(const System& system, const StepConfig& config);

}  // namespace abut::dynamics
