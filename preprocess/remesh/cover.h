#pragma once

#include <vector>

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

// Extends the quads over parts of the surface that they leave out: rims, tips and corners between the
// vertices, which smoothing does not recover. Each vertex of the surface farther than `tolerance` (m) from
// the quads is assigned to the nearest quad vertex whose normal agrees (so not to one on the other side of a
// wall). That vertex moves to the farthest surface vertex assigned to it, unless that is too far or would
// flip a quad. Returns a flag for each quad vertex: whether it was moved.
std::vector<char> cover(QuadMesh& mesh, const ReferenceSurface& surface, double tolerance, int threads);

}  // namespace abut::preprocess
