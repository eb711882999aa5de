#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// The half-space z <= 0. Two of them have no witness points.
template <class S>
struct HalfSpace {
  // The depth over which the pressure of a compliant one grows by its modulus, m, > 0. No other query heeds
  // it.
  S thickness = S(0.01);
};

// The plane z = 0 and what is below.
template <class S>
SweptCore<S> swept_core(const HalfSpace<S>&) {
  return {.kind = CoreKind::kPlane};
}

// In half_space.cpp.
template <>
const PrimitiveKind<HalfSpace<double>>& kind<HalfSpace<double>>();

}  // namespace abut::body
