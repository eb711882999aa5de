#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

struct Verification {
  std::vector<std::string> problems;  // one line each, naming the part and the element; empty: all is well
  std::map<std::string, double> measures;  // how far from the limits; the unit is the key's suffix
};

// Checks an asset against its own definition, by other means than those that made it: indices in range, the
// surface closed, manifold, oriented outward and free of self-intersection (CGAL, exact predicates),
// neighbours and normals right, every triangle in one leaf of the tree and inside all boxes above it; the
// hull convex (exact predicates), its adjacency and lookup right, and the surface inside it but for what the
// repair is recorded to have moved; mass properties integrated anew by quadrature over the surface.
Verification verify(const asset::Asset& asset);

}  // namespace abut::preprocess
