#pragma once

#include "preprocess/remesh/quad_mesh.h"

namespace abut::preprocess {

// Removes doublets: a vertex with two quads goes, and they become one. Returns how many went. Where nothing
// but a pillow of two quads would be left the mesh stays as it is.
std::size_t remove_doublets(QuadMesh& mesh);

// Improves how the quads hang together: collapses quads along a diagonal and turns edges [Tarini et al. 2010,
// 4.2] where that brings vertices nearer to four quads each, keeps the mesh manifold, leaves the new quads
// unfolded and does not mix quads whose normals differ by more than `crease_degrees`. Doublets that arise are
// removed. Returns the number of changes. Deterministic.
std::size_t improve_connectivity(QuadMesh& mesh, double crease_degrees);

}  // namespace abut::preprocess
