#pragma once

#include "preprocess/remesh/quad_mesh.h"

namespace abut::preprocess {

// Removes doublets: a vertex with only two quads is removed and the two become one quad. Returns the number
// of vertices removed. If only a pillow of two quads would remain, the mesh is left unchanged.
std::size_t remove_doublets(QuadMesh& mesh);

// Improves the connectivity of the quads: collapses quads along a diagonal and rotates edges [Tarini et al.
// 2010, 4.2] where that brings vertices closer to valence four, keeps the mesh manifold, leaves the new quads
// unfolded and does not merge quads whose normals differ by more than `crease_degrees`. Doublets that arise
// are removed. Returns the number of changes. Deterministic.
std::size_t improve_connectivity(QuadMesh& mesh, double crease_degrees);

}  // namespace abut::preprocess
