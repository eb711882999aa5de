#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/dynamics/system/scene.h"

// Numbers of a scene's bodies that the derivatives of a step may be taken by.
namespace abut::dynamics {

enum class Quantity : std::uint8_t {
  kMass,         // kg, the moments held
  kMomentX,      // kg m^2, principal, about x of the body's frame
  kMomentY,      //
  kMomentZ,      //
  kFriction,     // mu of all its shapes
  kModulus,      // Pa, of all its shapes
  kDissipation,  // s, of all its shapes
};

struct Parameter {
  Quantity quantity = Quantity::kMass;
  std::int32_t body = 0;  // index
};

// Whether it is a number of the shapes' material.
bool of_material(Quantity quantity);

// Of a body's shapes the first one's.
double value_of(const Body& body, Quantity quantity);
void set_value(Body& body, Quantity quantity, double value);

// Throws InvalidInput, naming the body, for one that there is not, one without shapes where the material is
// asked for, and values that are not positive and finite: friction has no derivative at 0.
void require_valid(const Scene& scene, std::span<const Parameter> parameters);

}  // namespace abut::dynamics
