#pragma once

#include "runtime/body/primitives/kind.h"

namespace abut::body {

// Axis-aligned box about the origin.
template <class S>
struct Box {
  Vec3<S> half;  // half sizes, m, > 0
};

// The core is the box itself; nothing is swept.
template <class S>
SweptCore<S> swept_core(const Box<S>& box) {
  return {.kind = CoreKind::kBox, .size = box.half};
}

// Defined in box.cpp.
template <>
const PrimitiveKind<Box<double>>& kind<Box<double>>();

}  // namespace abut::body
