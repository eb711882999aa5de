#pragma once

#include <vector>

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

// Draws the quads over what they leave out: rims, tips and corners that lie between the vertices, which no
// smoothing finds again. Of the vertices of `closed` further than `tolerance` (m) from the quads, the
// furthest one near each vertex of the quads takes that vertex to it, unless a quad would turn over. Returns
// a mark per vertex: whether it was moved.
std::vector<char> cover(QuadMesh& mesh, const TriangleMesh& closed, double tolerance, int threads);

}  // namespace abut::preprocess
