#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// A step of length h:
//   1. every body drifts for h/2 with its velocity: freely turning bodies keep energy and angular momentum
//      exactly (free_motion.h);
//   2. contacts are found there, penetrating ones and those that may close within the step; the impulses of
//      forces are added, and the contact solver gives impulses so that no contact closes by more than its gap
//      within h, and departs with its restitution (contact_stage.h). Where they make a body faster than the
//      search foresaw, contacts are looked for again. An island's impulses are scaled down where they would
//      add energy. Coulomb's law and restitution over a finite step may: by m (h g)^2/8 where friction stops
//      a body that gravity slows down;
//   3. every body drifts for h/2 with the new velocity;
//   4. what still overlaps is moved apart (stabilisation.h), velocities and angular momentum held. The energy
//      that this adds is reported.
// Steps 1 to 3 change the energy only by the contacts' impulses times the mean of their velocities before and
// after, and by the control's work: without control it never rises, and free flight under gravity keeps it to
// rounding.
std::unique_ptr<Integrator> make_midpoint(const System& system, const StepConfig& config);

// Those of the stabilisation.
std::vector<SettingInfo> midpoint_settings();

}  // namespace abut::dynamics
