#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// Ball about the origin.
template <class S>
struct Sphere {
  S radius;  // m, >= 0
};

// A point and a ball.
template <class S>
SweptCore<S> swept_core(const Sphere<S>& sphere) {
  return {.kind = CoreKind::kPoint, .swept_radius = sphere.radius};
}

// In sphere.cpp.
template <>
const PrimitiveKind<Sphere<double>>& kind<Sphere<double>>();

}  // namespace abut::body
