#pragma once

#include "preprocess/remesh/polygon_mesh.h"
#include "preprocess/remesh/quad_mesh.h"

namespace abut::preprocess {

// A closed oriented manifold of polygons as one of quads over the same vertices: quads that need no change
// stay as far as possible, the rest is cut into triangles that are matched in pairs across the edge that
// gives the better quad; alternating paths through the quads between lead every triangle to a partner. Throws
// InvalidInput where the polygons are no closed manifold.
QuadMesh to_quads(const PolygonMesh& mesh);

// The same for triangles.
QuadMesh to_quads(const TriangleMesh& mesh);

// Every polygon with n corners cut into n quads around its centre, through the middles of its edges.
QuadMesh subdivide(const PolygonMesh& mesh);

// The quads as polygons.
PolygonMesh polygons_of(const QuadMesh& mesh);

}  // namespace abut::preprocess
