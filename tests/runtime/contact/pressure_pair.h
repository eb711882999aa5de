#pragma once

#include "runtime/contact/pressure_field.h"
#include "tests/support/bodies.h"

// Pairs of bodies in pressure-field contact, by one config that has the materials and the settings.
namespace abut::test {

// Materials of a modulus (Pa) each, at rest.
inline contact::PressureFieldConfig moduli(double of_A, double of_B) {
  contact::PressureFieldConfig config;
  config.A.modulus = of_A;
  config.B.modulus = of_B;
  return config;
}

// The same with the materials of A and B exchanged.
inline contact::PressureFieldConfig exchanged(contact::PressureFieldConfig config) {
  std::swap(config.A, config.B);
  return config;
}

// One query of the model.
inline contact::PairWrench pressure_wrench(const body::Geometry& A, const body::Geometry& B,
                                           const Pose<double>& X_AB,
                                           const contact::PressureFieldConfig& config = {},
                                           const Vec6<double>& V_AB_B = Vec6<double>::Zero(),
                                           contact::Want want = contact::Want::kJacobian) {
  const body::Body a{A, config.A}, b{B, config.B};
  return contact::make_pressure_field_model(config)->wrench({&a, &b, X_AB, V_AB_B}, want);
}

}  // namespace abut::test
