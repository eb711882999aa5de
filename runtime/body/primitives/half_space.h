#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// The half-space z <= 0. A pair of half-spaces has no witness points.
template <class S>
struct HalfSpace {
  // The depth over which the pressure of a compliant half-space grows by its modulus, m, > 0. Used only by
  // pressure-field contact.
  S thickness = S(0.01);
};

// The core is the plane z = 0 with everything below it.
template <class S>
SweptCore<S> swept_core(const HalfSpace<S>&) {
  return {.kind = CoreKind::kPlane};
}

// Defined in half_space.cpp.
template <>
const PrimitiveKind<HalfSpace<double>>& kind<HalfSpace<double>>();

}  // namespace abut::body
