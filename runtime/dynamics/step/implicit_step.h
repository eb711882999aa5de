#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Makes the implicit integrator: contact models as forces, also stiff ones at long steps, by backward Euler.
// With f and tau the forces and moments of gravity, control and contact, at the new poses q' and twists V' =
// (w'; v'),
//   m (v' - v) = h f(q', V'),  L' - L = h tau(q', V'),  p' = p + h v',  q' = cay(h w') q,  L' = I' w',
// where cay(a) is a rotation by 2 atan(|a|/2) about a. Linear momentum is conserved to the tolerance; angular
// momentum of bodies in contact and the energy of free motion change by parts of the order of h (unlike in
// midpoint.h).
//
// Each group of bodies that forces couple is solved by Newton's method with the models' own derivatives; its
// steps are shortened until the sum of the squared residuals, in the kinetic metric, falls. Where that ends
// above the tolerance, also after continuation in smoothed friction (solve/smoothed_friction.h), the time
// step is divided into two of half its length, and so on, up to kMaxHalvings times. A part that has no
// solution then takes the impulse left over at the best velocities found, with the forces linearised there,
// so that all forces act, as in a linearly implicit step, but for what of it would add energy; the report's
// solver status is kNotConverged. So it is with bodies that touch along a line or a face, where the model's
// force jumps from end to end
// (`point`). The report's residual is the sum over the parts of the largest error of a body's momentum, as a
// velocity, m/s; depths are not measured (NaN). Allocates in each step. Systems with joints: implicit_tree.h.
std::unique_ptr<Integrator> make_implicit_step(const System& system, const StepConfig& config);

inline constexpr int kMaxHalvings = 6;

std::vector<SettingInfo> implicit_settings();

}  // namespace abut::dynamics
