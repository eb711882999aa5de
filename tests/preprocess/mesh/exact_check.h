#pragma once

#include <cstddef>

#include "preprocess/mesh/mesh.h"

// An oracle apart from the code under test: exact constructions, and no mesh structure of CGAL.
namespace abut::preprocess {

// Pairs of triangles whose exact intersection is more than the vertex or edge that they share by index.
std::size_t count_exact_intersections(const TriangleMesh& mesh);

// Whether every directed edge occurs once and its opposite once.
bool is_closed_and_oriented(const TriangleMesh& mesh);

}  // namespace abut::preprocess
