#pragma once

#include "preprocess/mesh/mesh.h"

// Open edges that are meant to be one.
namespace abut::preprocess {

// Splits faces along open edges at vertices of other open edges that lie on them within `tolerance` (m),
// where that leaves fewer open edges. Returns how many edges it split.
std::size_t split_rims(TriangleMesh& mesh, double tolerance);

// Merges vertices of open edges within the distance, of `least` times 2, 4, 8, ... up to `most` (m), that
// leaves the fewest open edges and changes the area by at most the share `area_change`. Larger distances must
// take away four open edges for each face more that collapses by them: joining two faces takes two and no
// face; drawing the rim of a hole together, or a loose face, takes at most three a face. Returns that
// distance; 0 where none leaves fewer.
double join_rims(TriangleMesh& mesh, double least, double most, double area_change);

}  // namespace abut::preprocess
