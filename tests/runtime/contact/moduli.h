#pragma once

#include "runtime/contact/pressure_field.h"

namespace abut::test {

// Materials of a modulus (Pa) each, at rest.
inline contact::PressureFieldConfig moduli(double of_A, double of_B) {
  contact::PressureFieldConfig config;
  config.A.modulus = of_A;
  config.B.modulus = of_B;
  return config;
}

}  // namespace abut::test
