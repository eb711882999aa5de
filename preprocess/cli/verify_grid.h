#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What keeps a grid whose arrays fit together from being the signed distance of a sound surface: a point
// inside or within the reach that it does not answer, or an error of more than a spacing of its nodes
// anywhere, a quarter in the mean. Distances are computed anew at random points near the surface
// and in the box about it. Internal to verify().
std::vector<std::string> grid_problems(const asset::DistanceGridView& grid,
                                       const asset::SurfaceView& surface);

// "; grid 0: off by 38 um in the mean, 450 um at most" for each grid of a sound asset, near the surface.
std::string grid_errors(const asset::Asset& asset);

}  // namespace abut::preprocess
