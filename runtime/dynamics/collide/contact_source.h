#pragma once

#include <string>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/dynamics/collide/convex_contact.h"
#include "runtime/dynamics/system/system.h"

namespace abut::dynamics {

// Selects how contacts are computed.
struct ContactSource {
  // How touching surfaces are sampled where no model is used. Compliant contact rejects kPieces.
  ContactSampling sampling = ContactSampling::kVertex;
  // Name of a model of contact/model.h. With rigid contact, pairs of assets use its points as constraints;
  // empty: vertices against exact distances (asset_contact.h). With compliant contact, all pairs use its
  // wrench; empty: kDefaultForce.
  std::string model = {};
  SettingValues settings = {};  // of the model; settings not listed have their defaults
};

inline constexpr const char* kDefaultForce = "pressure_field";  // model of compliant contact without a name
// Returns the name of the model of compliant contact.
inline std::string force_model(const ContactSource& source) {
  return source.model.empty() ? kDefaultForce : source.model;
}

// Returns the names of contact sources: `vertex`, `patch`, `pieces` (ContactSampling), and the contact
// models.
std::vector<std::string> contact_source_names();
// Returns the source of a name. An unknown name becomes that of a contact model, which the user of the source
// rejects.
ContactSource contact_source(const std::string& name, const SettingValues& settings = {});

// Throws InvalidInput, naming the body, where an asset of the system lacks one of the body::Parts `needs`.
void require_parts(const System& system, unsigned needs);

}  // namespace abut::dynamics
