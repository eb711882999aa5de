#pragma once

#include <cstddef>

#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

namespace abut::preprocess {

struct ImproveParameters {
  double wanted_degrees = 25;  // tetrahedra with a smaller dihedral angle are worked on
  int max_passes = 12;
};

struct ImproveResult {
  std::size_t changes = 0;  // flips, moves, collapses that made the worst of the tetrahedra they touch better
  std::size_t splits = 0;   // vertices added to tetrahedra that had none inside
};

// Improves the smallest dihedral angles by local changes, each kept only if the worst tetrahedron it touches
// becomes better: edge removal and its inverse for faces [Shewchuk2002], moves of inner vertices, collapses
// of them, and new ones that replace a cavity [Klingner2007], also on the surface, whose triangles they cut:
// its shape and its vertices stay. For slivers that this does not reach, a vertex is put in first and what is
// around mended after, and all taken back unless it was worth it. A tetrahedron without a vertex inside
// counts as worse than any other, and in the end there is none.
ImproveResult improve(TetrahedralMesh& mesh, const ImproveParameters& parameters = {});

}  // namespace abut::preprocess
