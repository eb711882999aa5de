#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Moves a mesh that lies more than kFarthest of its own diagonals from the origin to the origin: further out
// the coordinates' rounding tells in volumes, normals and signs. The shift is a multiple of a power of two on
// each axis, so that no coordinate is rounded; a warning tells it, and the measures recentred_x_m, _y_m and
// _z_m: the asset's frame is the file's moved by it. Throws InvalidInput where the coordinates, as the file
// has them, are too coarse for the mesh's edges already.
inline constexpr double kFarthest = 1e3;
void recentre(TriangleMesh& mesh, Report& report);

}  // namespace abut::preprocess
