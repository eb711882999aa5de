#pragma once

#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

namespace abut::dynamics {

// Reduces the points from `first` on to at most `most`, and keeps their order. Keeps the deepest point, those
// farthest out in eight directions across the mean normal, and then repeatedly the one farthest from those
// kept, in position (relative to `length`, m) and normal, so that the cone of their wrenches stays close to
// that of all points: what stands on many points stands on the outermost. Points that overlap are preferred
// to points that are still apart, by a weight that is continuous in the gap. Independent of the world's axes.
// `spread` is scratch memory.
void keep_spread(std::vector<SurfacePoint>& points, std::size_t first, std::size_t most, double length,
                 std::vector<double>& spread);

}  // namespace abut::dynamics
