#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// All points within `radius` of the segment from (0, 0, -half_length) to (0, 0, half_length).
template <class S>
struct Capsule {
  S half_length;  // m, >= 0
  S radius;       // m, >= 0
};

// The core is a segment along z, swept by a ball.
template <class S>
SweptCore<S> swept_core(const Capsule<S>& capsule) {
  return {.kind = CoreKind::kSegment, .size = {0, 0, capsule.half_length}, .swept_radius = capsule.radius};
}

// Defined in capsule.cpp.
template <>
const PrimitiveKind<Capsule<double>>& kind<Capsule<double>>();

}  // namespace abut::body
