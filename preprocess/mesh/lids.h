#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// The closed paths along the open edges of a manifold mesh, each directed against its faces: the rim of a
// hole in the order in which the boundary of a lid runs.
std::vector<std::vector<std::int32_t>> find_rims(const TriangleMesh& mesh);

// Volume that the mesh encloses when every hole is closed by a fan around its rim's mean point, m^3: the
// volume that an open surface outlines. Signed: negative if the mesh faces inward.
double outlined_volume(const TriangleMesh& mesh);

// Width of the widest hole, m: the distance between two points of its rim, each the farthest from the other.
double widest_hole(const TriangleMesh& mesh);

struct FlatLids {
  std::size_t count = 0;
  std::size_t edges = 0;  // number of rim edges of the closed holes
};

// Closes by a flat lid every hole of a manifold mesh, however large, whose rim lies within `flatness` (a
// fraction of its extent) of a plane. Smallest holes first; skips those whose lid would meet a face elsewhere
// than at the rim.
FlatLids add_flat_lids(TriangleMesh& mesh, double flatness);

}  // namespace abut::preprocess
