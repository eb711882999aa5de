#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Contact models as forces, stiff ones at long steps: backward Euler. With f and tau the forces and moments
// of gravity, control and contact, at the new poses q' and twists V' = (w'; v'),
//   m (v' - v) = h f(q', V'),  L' - L = h tau(q', V'),  p' = p + h v',  q' = cay(h w') q,  L' = I' w',
// where cay(a) turns by 2 atan(|a|/2) about a. Linear momentum is kept to the tolerance;
// angular momentum of bodies in contact, and the energy of free motion, change by parts of the order of h
// (those of midpoint.h do not).
//
// Each group of bodies that forces couple is solved by Newton's method with the models' own derivatives; a
// step of it is shortened until the sum of the residuals' squares, in the kinetic metric, falls. Where that
// ends above the tolerance, by way of smoothed friction too (solve/smoothed_friction.h), the time step is
// made as two of half its length, and so on, up to kMostHalvings times; then the report's solver says
// kNotConverged, and the state is the best that was found. Its residual is the velocity by which a body's
// momentum is off at most, m/s; depths are not measured (NaN). Allocates in each step. Systems with joints:
// implicit_tree.h.
std::unique_ptr<Integrator> make_implicit_step(const System& system, const StepConfig& config);

inline constexpr int kMostHalvings = 6;

std::vector<SettingInfo> implicit_settings();

}  // namespace abut::dynamics
