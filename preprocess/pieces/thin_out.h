#pragma once

#include <cstddef>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// A closed mesh with about so many triangles, by edge collapses [Lindstrom1998] with no look at how far it
// gets away: for searches whose result is measured against the mesh itself. The mesh as it is where it has no
// more, or is no manifold.
TriangleMesh thin_out(const TriangleMesh& mesh, std::size_t triangles);

}  // namespace abut::preprocess
