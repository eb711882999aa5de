#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/remesh/polygon_mesh.h"

namespace abut::preprocess {

struct FieldParameters {
  double edge_length = 0;      // wanted everywhere, m; ignored if `sizes` is given
  std::vector<double> sizes;   // wanted edge length at each vertex of the input, m; empty: `edge_length`
  double crease_degrees = 25;  // edges between faces whose normals differ by more remain edges
  int threads = 0;             // 0: all processors
};

// Remeshes a closed surface with polygons, mostly quads, whose edges follow a smooth 4-RoSy direction field
// and the creases [Jakob et al. 2015]. The result is a closed, oriented manifold of the input's genus with
// vertices on the input surface.
// Throws InvalidInput if `closed` is not closed and manifold, or if an edge length is not positive.
PolygonMesh field_aligned_mesh(const TriangleMesh& closed, const FieldParameters& parameters, Report& report);

}  // namespace abut::preprocess
