#pragma once

#include "preprocess/mesh/mesh.h"

// Joins open edges that are meant to be a single edge.
namespace abut::preprocess {

// Splits faces along open edges at vertices of other open edges that lie on them within `tolerance` (m), if
// that leaves fewer open edges. Returns the number of edges split.
std::size_t split_rims(TriangleMesh& mesh, double tolerance);

// Merges vertices of open edges that are close to each other. Of the distances `least` times 2, 4, 8, ... up
// to `most` (m) it takes the one that leaves the fewest open edges and changes the area by at most the
// fraction `area_change`. A larger distance must remove four open edges for each additional face that it
// collapses: joining two faces removes two and collapses none, whereas contracting the rim of a hole, or a
// loose face, removes at most three for each face. Returns the distance; 0 if none leaves fewer open edges.
double join_rims(TriangleMesh& mesh, double least, double most, double area_change);

}  // namespace abut::preprocess
