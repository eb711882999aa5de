#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Every triangle cut into four at the middles of its edges: the same surface with more triangles.
TriangleMesh refine(const TriangleMesh& mesh);

}  // namespace abut::preprocess
