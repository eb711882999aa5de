#pragma once

#include <string>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// Checks an asset against its definition, by other means than those that made it. Indices are in range; the
// surface is closed, manifold, oriented outward and free of self-intersection (CGAL, exact predicates), its
// neighbours and normals are correct, and every triangle is in one leaf of the tree and inside all boxes
// above it. The hull is convex (exact predicates), its adjacency and lookup are correct, the surface is
// inside it and its corners lie on the surface, up to the recorded displacement by repair. Points and their
// spacing match their quads. Mass properties are integrated again by quadrature over the surface; volumes are
// checked as in verify_volume.h. Returns one line for each problem, naming the part and the element; empty if
// there is none.
std::vector<std::string> verify(const asset::Asset& asset);

}  // namespace abut::preprocess
