#pragma once

#include <string>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/dynamics/collide/convex_contact.h"
#include "runtime/dynamics/system/system.h"

namespace abut::dynamics {

// Where contact comes from.
struct ContactSource {
  // Of surfaces that touch, where no model is asked; contact forces have no use for pieces, and refuse them.
  ContactSampling sampling = ContactSampling::kVertex;
  // A row of contact/model.h. Of integrators with rigid contact: pairs of assets take the points that it
  // offers as constraints; empty: vertices against exact distances (asset_contact.h). Of those with compliant
  // contact: all pairs take its wrench; empty: kDefaultForce.
  std::string model = {};
  SettingValues settings = {};  // of the model; the others have their defaults
};

inline constexpr const char* kDefaultForce = "pressure_field";  // where none is named
// The model that gives forces.
inline std::string force_model(const ContactSource& source) {
  return source.model.empty() ? kDefaultForce : source.model;
}

// The names of what rigid contact may come from: `vertex`, `patch`, `pieces` (ContactSampling), and the
// contact models.
std::vector<std::string> contact_source_names();
// A source by one of these names. An unknown one is refused as a contact model by whoever takes the source.
ContactSource contact_source(const std::string& name, const SettingValues& settings = {});

// Throws InvalidInput, naming the body, where an asset of the system lacks one of the body::Parts `needs`.
void require_parts(const System& system, unsigned needs);

}  // namespace abut::dynamics
