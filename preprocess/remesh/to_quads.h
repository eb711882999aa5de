#pragma once

#include "preprocess/remesh/polygon_mesh.h"
#include "preprocess/remesh/quad_mesh.h"

namespace abut::preprocess {

// Converts a closed oriented manifold of polygons to quads over the same vertices. Quads are kept where
// possible; other polygons are cut into triangles that are matched in pairs across the edge that gives the
// better quad, and augmenting paths through the quads in between give every triangle a partner. Throws
// InvalidInput if the polygons are not a closed manifold.
QuadMesh to_quads(const PolygonMesh& mesh);

// The same for a triangle mesh.
QuadMesh to_quads(const TriangleMesh& mesh);

// Cuts every polygon with n corners into n quads around its centre, through the midpoints of its edges.
QuadMesh subdivide(const PolygonMesh& mesh);

// The quads as a polygon mesh.
PolygonMesh polygons_of(const QuadMesh& mesh);

}  // namespace abut::preprocess
