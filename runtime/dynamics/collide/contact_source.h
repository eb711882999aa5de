#pragma once

#include <string>

#include "runtime/contact/model.h"
#include "runtime/dynamics/collide/convex_contact.h"
#include "runtime/dynamics/system/system.h"

namespace abut::dynamics {

// Where contact comes from.
struct ContactSource {
  ContactSampling sampling = ContactSampling::kVertex;  // of surfaces that touch, where no model is asked
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

// Throws InvalidInput, naming the body, where an asset of the system lacks what the contact model needs.
void require_parts(const System& system, const contact::ModelRow& model);

}  // namespace abut::dynamics
