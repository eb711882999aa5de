#pragma once

#include "preprocess/remesh/lattice_mesh.h"
#include "preprocess/remesh/polygon_mesh.h"

namespace abut::preprocess {

struct ExtractCounts {
  std::size_t unmerged = 0;  // edges of no step that could not be collapsed
  std::size_t folded = 0;    // triangles turned over in the lattice
  std::size_t flat = 0;      // triangles without area in the lattice
};

// The mesh of a lattice's unit squares. Edges of no step are collapsed, triangles that are turned over or
// flat in the lattice flipped or collapsed away, longer steps split, diagonals turned to be shortest and then
// dissolved, so that the result is a closed manifold of the surface's genus whatever the lattice. Its
// vertices lie on the surface near the lattice's points.
// `points`: of the position field.
PolygonMesh extract(const CreasedSurface& surface, const Lattice& lattice, const std::vector<Hold>& holds,
                    const std::vector<Eigen::Vector3d>& points, ExtractCounts& counts);

}  // namespace abut::preprocess
