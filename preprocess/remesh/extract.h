#pragma once

#include "preprocess/remesh/lattice_mesh.h"
#include "preprocess/remesh/polygon_mesh.h"

namespace abut::preprocess {

struct ExtractCounts {
  std::size_t unmerged = 0;  // edges of zero step that could not be collapsed
  std::size_t folded = 0;    // triangles with negative area in the lattice
  std::size_t flat = 0;      // triangles with zero area in the lattice
};

// Extracts the mesh of a lattice's unit squares. Edges of zero step are collapsed, triangles that are flipped
// or degenerate in the lattice are flipped or collapsed, longer steps split, diagonals flipped to be shortest
// and then dissolved, so that for any lattice the result is a closed manifold of the surface's genus. Its
// vertices lie on the surface near the lattice's points. `points`: the lattice points of the position field,
// m.
PolygonMesh extract(const CreasedSurface& surface, const Lattice& lattice, const std::vector<Hold>& holds,
                    const std::vector<Eigen::Vector3d>& points, ExtractCounts& counts);

}  // namespace abut::preprocess
