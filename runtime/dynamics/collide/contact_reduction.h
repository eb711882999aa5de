#pragma once

#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

namespace abut::dynamics {

// Thins out the points from `first` on to at most `most`, in their order: the deepest is kept, then again and
// again the one furthest from those kept, in place (over `length`, m) and normal, so that the cone of their
// wrenches stays nearly that of all. Points that overlap go before points that are still apart. `spread` is
// scratch memory.
void keep_spread(std::vector<SurfacePoint>& points, std::size_t first, std::size_t most, double length,
                 std::vector<double>& spread);

}  // namespace abut::dynamics
