#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Moves a mesh that lies farther than kFarthest times its own diagonal from the origin to the origin; farther
// away the rounding of coordinates affects volumes, normals and signs. On each axis the shift is a multiple
// of a power of two, so that no coordinate is rounded. A warning and the measures recentred_x_m, _y_m and
// _z_m report it: the asset's frame is the file's, moved by the shift. Throws InvalidInput if the file's
// coordinates are already too coarse for the mesh's edges.
inline constexpr double kFarthest = 1e3;
void recentre(TriangleMesh& mesh, Report& report);

}  // namespace abut::preprocess
