#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Faces that hang on a surface: fins, sheets, and zero-area faces attached at an edge.
struct Hanging {
  std::size_t faces = 0;
  double area = 0;                // m^2
  std::vector<Triangle> dropped;  // the faces
};

// Removes hanging patches, that is, sets of faces connected through two-face edges that have open edges and
// are attached at edges of three or more faces. Each such edge keeps two faces. Removes the smallest patches
// first, up to a total area of `most` (m^2).
Hanging drop_hanging(TriangleMesh& mesh, double most);

// Detaches limbs (legs, knobs, handles) as parts with vertices of their own. A limb is a patch that stands on
// the surface along a closed path of edges of three or more faces, each of which keeps two, and encloses a
// volume, with a bounding-box diagonal above `least` (m). Smallest patches first; returns their number.
std::size_t split_limbs(TriangleMesh& mesh, double least);

}  // namespace abut::preprocess
