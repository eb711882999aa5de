#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// What an oriented point cloud must be consistent with.
struct PointsContext {
  asset::SurfaceView surface;      // verified
  double size = 0;                 // m: of the object
  double farthest_of_points = 0;   // m: largest allowed distance of a point from the surface
  double farthest_of_surface = 0;  // m: largest allowed distance of the surface from the quads
};

// Checks a point cloud whose indices are in range. Its quads are a closed manifold; each connected part of
// them faces outward, as the surface next to it does; they lie near all of the surface, and the points near
// it; each point matches its quad, and the spacing (m: square root of the mean area; least, mean, greatest
// edge) is theirs. Internal to verify().
std::vector<std::string> point_problems(const asset::PointsView& points, const std::vector<double>& spacing,
                                        const PointsContext& context);

}  // namespace abut::preprocess
