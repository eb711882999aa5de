#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// Axis-aligned ellipsoid about the origin.
template <class S>
struct Ellipsoid {
  Vec3<S> semi_axes;  // m, > 0
};

// The core is the ellipsoid itself; nothing is swept.
template <class S>
SweptCore<S> swept_core(const Ellipsoid<S>& ellipsoid) {
  return {.kind = CoreKind::kEllipsoid, .size = ellipsoid.semi_axes};
}

// Defined in ellipsoid.cpp.
template <>
const PrimitiveKind<Ellipsoid<double>>& kind<Ellipsoid<double>>();

}  // namespace abut::body
