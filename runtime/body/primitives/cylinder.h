#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// All points within `radius` of the z axis and |z| <= half_length.
template <class S>
struct Cylinder {
  S half_length;  // m, > 0
  S radius;       // m, > 0
};

// The core is two equal rims.
template <class S>
SweptCore<S> swept_core(const Cylinder<S>& cylinder) {
  const S r = cylinder.radius;
  return {.kind = CoreKind::kRims, .size = {r, r, cylinder.half_length}, .top_radius = r};
}

// Defined in cylinder.cpp.
template <>
const PrimitiveKind<Cylinder<double>>& kind<Cylinder<double>>();

}  // namespace abut::body
