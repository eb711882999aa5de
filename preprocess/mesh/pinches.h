#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

struct FilledPinches {
  std::size_t count = 0;  // holes that were filled
  std::size_t edges = 0;  // along their rims
};

// Where a rim of a manifold mesh comes back to a position, holes meet in one point, and the mesh has a vertex
// there for each side. Fills the holes on one side of such points whose extent is at most `largest_extent`
// (m), and makes one vertex of the two: what is left of the rim goes around one hole. Taken for one, their
// lid would have the two at one position.
FilledPinches fill_pinched_holes(TriangleMesh& mesh, double largest_extent);

}  // namespace abut::preprocess
