#pragma once

#include "runtime/body/body.h"

namespace abut::dynamics {

// A number of a material in scene files.
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
inline constexpr const char* kRigidWord = "rigid";  // in place of the modulus kRigid

}  // namespace abut::dynamics
