#pragma once

#include <optional>
#include <string>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// The solid that the closed parts of a mesh make together.
struct SoundUnion {
  TriangleMesh mesh;   // a manifold that does not intersect itself
  std::string growth;  // what is said of parts that had to be grown for it; empty: as they are
};

// Parts that touch in a face or an edge without overlapping, or by rounding here and there, have no manifold
// union: they are grown, and moved where that does not help, by up to 2e-5 of their size together, and
// warnings say so. Faces of the union that cross since their corners are rounded are mended, by no more than
// that. None where nothing helps.
std::optional<SoundUnion> sound_union(const TriangleMesh& parts);

}  // namespace abut::preprocess
