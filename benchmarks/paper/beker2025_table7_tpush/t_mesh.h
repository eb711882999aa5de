#pragma once

#include "runtime/body/geometry.h"

namespace abut::tpush {

// The T in the frame of the reference model, with about `quads` oriented points and a distance grid.
body::Geometry meshed_t(int quads);

}  // namespace abut::tpush
