#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// What hangs on a surface: fins, sheets, faces without area that stand in an edge.
struct Hanging {
  std::size_t faces = 0;
  double area = 0;                // m^2
  std::vector<Triangle> dropped;  // the faces
};

// Removes patches of faces, joined through edges of two, that have open edges and hang on edges of three or
// more faces, of which each keeps two: the smallest first, of together at most `most` (m^2).
Hanging drop_hanging(TriangleMesh& mesh, double most);

// Gives patches that stand on the surface along a closed path of edges of three or more faces, of which each
// keeps two, and enclose a volume longer than `least` (m) vertices of their own: legs, knobs, handles, which
// are parts then. The smallest first. Returns how many.
std::size_t split_limbs(TriangleMesh& mesh, double least);

}  // namespace abut::preprocess
