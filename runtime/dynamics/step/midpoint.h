#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Makes the midpoint integrator for rigid contact. A step of length h:
//   1. every body drifts for h/2 with its velocity: freely rotating bodies keep energy and angular momentum
//      exactly (free_motion.h);
//   2. contacts are found there, penetrating ones and those that may close within the step; the impulses of
//      forces are added, and the contact solver computes impulses such that no contact closes by more than
//      its gap within h, and impacts rebound with their restitution (contact_stage.h). Where the impulses
//      make a body faster than the search assumed, contacts are searched again. An island's impulses are
//      scaled down where they would add energy. Coulomb's law and restitution over a finite step may do that:
//      by m (h g)^2/8 where friction stops a body that gravity slows down;
//   3. every body drifts for h/2 with the new velocity;
//   4. bodies that still overlap are moved apart (stabilisation.h), with velocities and angular momentum
//   held.
//      The energy that this adds is reported.
// Steps 1 to 3 change the energy only by the contacts' impulses times the mean of their velocities before and
// after, and by the control's work: without control it never rises, and free flight under gravity conserves
// it to rounding.
std::unique_ptr<Integrator> make_midpoint(const System& system, const StepConfig& config);

// Returns the settings, which are those of the stabilisation.
std::vector<SettingInfo> midpoint_settings();

}  // namespace abut::dynamics
