#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Makes the backward Euler integrator in the coordinates of a system's tree: it solves for v' with
//   M(q') a + b(q', v') = tau(q', v'),   a and q' by v and v' (tree/euler.h),
// where tau are the forces of contact models, joints and control, however stiff. Newton's method uses the
// models' own derivatives; its steps are shortened until the residual, in the kinetic metric, falls. Where
// that ends above the tolerance, also after continuation in smoothed friction (solve/smoothed_friction.h),
// the time step is divided into two of half its length, and so on, up to kMaxHalvings times
// (implicit_step.h); parts without a solution then are as described there, and the report's solver status is
// kNotConverged. The report's residual is the sum over the parts of the largest error, as a velocity of the
// mass of a group of jointed bodies, or of a single one, m/s. Derivatives are by the implicit function
// theorem.
std::unique_ptr<Integrator> make_implicit_tree(const System& system, const StepConfig& config);

}  // namespace abut::dynamics
