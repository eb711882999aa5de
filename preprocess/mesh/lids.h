#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// The closed paths along the open edges of a manifold mesh, each against its faces' direction: the rim of a
// hole as a lid's boundary goes around.
std::vector<std::vector<std::int32_t>> find_rims(const TriangleMesh& mesh);

// Volume that the mesh encloses with every hole closed by a fan around its rim's mean point, m^3: what an
// open surface outlines. Signed: negative where it faces inward.
double outlined_volume(const TriangleMesh& mesh);

// How wide the widest hole is: the distance of two points of its rim, each the farthest from the other, m.
double widest_hole(const TriangleMesh& mesh);

struct FlatLids {
  std::size_t count = 0;
  std::size_t edges = 0;  // along their rims
};

// Closes the holes of a manifold mesh whose rim lies within `flatness` (of its extent) of a plane by a flat
// lid, however large, the smallest first; not those whose lid would meet any face other than at the rim.
FlatLids add_flat_lids(TriangleMesh& mesh, double flatness);

}  // namespace abut::preprocess
