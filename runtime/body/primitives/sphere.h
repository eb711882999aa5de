#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// Ball about the origin.
template <class S>
struct Sphere {
  S radius;  // m, >= 0
};

// The core is a point, swept by a ball.
template <class S>
SweptCore<S> swept_core(const Sphere<S>& sphere) {
  return {.kind = CoreKind::kPoint, .swept_radius = sphere.radius};
}

// Defined in sphere.cpp.
template <>
const PrimitiveKind<Sphere<double>>& kind<Sphere<double>>();

}  // namespace abut::body
