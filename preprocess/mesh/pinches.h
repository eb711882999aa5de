#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

struct FilledPinches {
  std::size_t count = 0;  // holes that were filled
  std::size_t edges = 0;  // along their rims
};

// Fills pinched holes. Where the rim of a manifold mesh returns to a position, several holes meet in one
// point, at which the mesh has a separate vertex for each side. Fills holes on one side of such points whose
// extent is at most `largest_extent` (m) and merges the two vertices, so that the remaining rim goes around a
// single hole. If the holes were treated as one, their common lid would have two vertices at one position.
FilledPinches fill_pinched_holes(TriangleMesh& mesh, double largest_extent);

}  // namespace abut::preprocess
