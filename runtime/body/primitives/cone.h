#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// Hull of the apex (0, 0, half_length) and the disc of `radius` about (0, 0, -half_length).
template <class S>
struct Cone {
  S half_length;  // m, > 0
  S radius;       // m, > 0
};

// The core is a rim below and a rim of radius 0, the apex, above.
template <class S>
SweptCore<S> swept_core(const Cone<S>& cone) {
  return {.kind = CoreKind::kRims, .size = {cone.radius, cone.radius, cone.half_length}};
}

// Defined in cone.cpp.
template <>
const PrimitiveKind<Cone<double>>& kind<Cone<double>>();

}  // namespace abut::body
