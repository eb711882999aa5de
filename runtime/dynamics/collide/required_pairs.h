#pragma once

#include <cstddef>
#include <functional>

#include "runtime/contact/model.h"
#include "runtime/dynamics/system/system.h"

namespace abut::dynamics {

// Returns the model of two shapes, of two placed bodies (fixed shapes first); null where they take none.
using ModelOfShapes = std::function<const contact::Model*(const Shape& a, std::size_t placed_A,
                                                          const Shape& b, std::size_t placed_B)>;

// Throws InvalidInput, naming the bodies, where shapes that may meet are a pair that their model cannot take.
void require_pairs(const System& system, const ModelOfShapes& model_of);

}  // namespace abut::dynamics
