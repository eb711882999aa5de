#pragma once

#include <cstddef>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Refines a closed surface to at least `triangles` triangles, and at most one more, without changing its
// shape: the longest edge is bisected until there are enough, which evens out edges and makes triangles at
// most twice as narrow. Flat parts are kept Delaunay, so that the long thin triangles of CAD programs are not
// divided into more of their kind.
TriangleMesh refine(const TriangleMesh& closed, std::size_t triangles);

}  // namespace abut::preprocess
