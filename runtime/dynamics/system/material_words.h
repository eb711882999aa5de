#pragma once

#include "runtime/body/body.h"

namespace abut::dynamics {

// A keyword of a material in scene files, and the number that it sets.
struct MaterialWord {
  const char* keyword;
  const char* meaning;  // for messages
  double body::Material::*member;
};

inline constexpr MaterialWord kMaterialWords[] = {
    {"mu", "the coefficient of friction", &body::Material::friction},
    {"restitution", "the restitution", &body::Material::restitution},
    {"patch", "the patch", &body::Material::patch},
    {"modulus", "the modulus", &body::Material::modulus},
    {"dissipation", "the dissipation", &body::Material::dissipation},
};
inline constexpr const char* kRigidWord = "rigid";  // written for the modulus body::kRigid

}  // namespace abut::dynamics
