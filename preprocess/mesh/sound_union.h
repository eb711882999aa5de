#pragma once

#include <optional>
#include <string>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// The union of the solids that the closed parts of a mesh bound.
struct SoundUnion {
  TriangleMesh mesh;   // manifold and free of self-intersection
  std::string growth;  // note for the user on parts that had to be grown; empty if none was
};

// Unites the parts. Parts that touch in a face or an edge without overlapping, exactly or up to rounding,
// have no manifold union: they are grown, and moved if growing does not help, by a total of up to 2e-5 of
// their size; `growth` reports it. Faces of the union that intersect because their corners are rounded are
// mended, within the same distance. Empty if nothing helps.
std::optional<SoundUnion> sound_union(const TriangleMesh& parts);

}  // namespace abut::preprocess
