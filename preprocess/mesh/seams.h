#pragma once

#include "preprocess/mesh/mesh.h"

// Open edges that are meant to be one.
namespace abut::preprocess {

// Splits faces along open edges at vertices of other open edges that lie on them within `tolerance` (m),
// where that leaves fewer open edges. Returns how many edges it split.
std::size_t split_rims(TriangleMesh& mesh, double tolerance);

// Merges vertices of open edges within the distance, of `least` times 2, 4, 8, ... up to `most` (m), that
// leaves the fewest open edges and changes the area by at most the share `area_change`. Returns that
// distance; 0 where none leaves fewer.
double join_rims(TriangleMesh& mesh, double least, double most, double area_change);

}  // namespace abut::preprocess
