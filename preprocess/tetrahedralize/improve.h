#pragma once

#include <cstddef>

#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

namespace abut::preprocess {

struct ImproveParameters {
  double wanted_degrees = 25;  // tetrahedra with a smaller dihedral angle are improved
  int max_passes = 12;
};

struct ImproveResult {
  std::size_t changes = 0;  // flips, moves, collapses that improved the worst of the tetrahedra they touch
  std::size_t splits = 0;   // vertices added to tetrahedra without a vertex inside the solid
};

// Increases the smallest dihedral angles by local changes, each kept only if the worst tetrahedron it touches
// improves: edge removal and its inverse for faces [Shewchuk2002], moves and collapses of inner vertices, and
// new vertices that replace a cavity [Klingner2007], also on the surface, whose triangles they divide; the
// surface's shape and vertices do not change. Slivers that resist are given a vertex first and their
// surroundings repaired afterwards, which is undone unless the result is better. A tetrahedron without a
// vertex inside the solid counts as worse than any other, and none is left at the end.
ImproveResult improve(TetrahedralMesh& mesh, const ImproveParameters& parameters = {});

}  // namespace abut::preprocess
