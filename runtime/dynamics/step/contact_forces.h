#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Fills `forces`, as Integrator::contact_forces defines them, with the impulses of contacts over dt, s. The
// bodies are those of the contact problem. Allocates only to grow.
void fill_contact_forces(std::span<const PairContact> contacts, std::span<const ContactBody> bodies,
                         double dt, std::vector<ContactForce>& forces);

// The same with the wrenches of a contact model.
void fill_contact_forces(std::span<const PairForce> pairs, std::vector<ContactForce>& forces);

}  // namespace abut::dynamics
