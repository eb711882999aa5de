#pragma once

#include <vector>

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

// Draws the quads over what they leave out: rims, tips and corners that lie between the vertices, which no
// smoothing finds again. Each vertex of the surface further than `tolerance` (m) from the quads belongs to
// the nearest vertex of the quads that faces its way (not one on the other side of a wall); the furthest of
// them takes that vertex to it, unless a quad would turn over. Returns a mark per vertex: whether it was
// moved.
std::vector<char> cover(QuadMesh& mesh, const ReferenceSurface& surface, double tolerance, int threads);

}  // namespace abut::preprocess
