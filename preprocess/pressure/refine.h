#pragma once

#include <cstddef>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// The same closed surface with at least `triangles` triangles, and at most one more: the longest edge is cut
// in the middle until there are enough, which makes edges even and triangles no worse than half as wide. Flat
// parts are Delaunay's all along: what a drawing program leaves long and thin is not cut into more of it.
TriangleMesh refine(const TriangleMesh& closed, std::size_t triangles);

}  // namespace abut::preprocess
