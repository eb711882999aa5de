#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// Checks an asset against its own definition, by other means than those that made it: indices in range, the
// surface closed, manifold, oriented outward and free of self-intersection (CGAL, exact predicates),
// neighbours and normals right, every triangle in one leaf of the tree and inside all boxes above it; the
// hull convex (exact predicates), its adjacency and lookup right, and the surface inside it, and its corners
// on the surface, but for what the repair is recorded to have moved; points as their quads say, their spacing
// too; mass properties integrated anew by quadrature over the surface; volumes as verify_volume.h says.
// Returns one line for each problem, naming the part and the element; none where all is well.
std::vector<std::string> verify(const asset::Asset& asset);

}  // namespace abut::preprocess
