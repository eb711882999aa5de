#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Remeshes a closed surface to triangles with edges close to `edge` (m) in every direction [Botsch and
// Kobbelt 2004], using CGAL's implementation. Edges between faces whose normals differ by more than
// `crease_degrees` remain edges. Neither closeness to the input nor freedom from self-intersection is
// guaranteed.
TriangleMesh remesh_isotropic(const TriangleMesh& closed, double edge, double crease_degrees, int rounds);

}  // namespace abut::preprocess
