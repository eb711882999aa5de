#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What keeps a grid with consistent arrays from being the signed distance of a valid surface: a point inside
// or within the reach that it does not answer, or an error of more than one node spacing anywhere, or a
// quarter of it on average. Distances are recomputed at random points near the surface and in its bounding
// box. Internal to verify().
std::vector<std::string> grid_problems(const asset::DistanceGridView& grid,
                                       const asset::SurfaceView& surface);

// "; grid 0: off by 38 um in the mean, 450 um at most" for each grid of a valid asset, near the surface.
std::string grid_errors(const asset::Asset& asset);

}  // namespace abut::preprocess
