#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What keeps a grid whose arrays fit together from being the signed distance of a sound surface: a point
// inside or within the reach that it does not answer, an error of more than a spacing of its nodes, in the
// value or, on average, beyond a quarter of it. Distances are computed anew at random points near the surface
// and in the box about it. Internal to verify().
std::vector<std::string> grid_problems(const asset::DistanceGridView& grid,
                                       const asset::SurfaceView& surface);

}  // namespace abut::preprocess
