#pragma once

#include "preprocess/tetrahedralize/inradius.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

// Internal to make_volume().
namespace abut::preprocess {

// Inserts vertices into the core where tetrahedra of it, as in walls and narrow parts, have no vertex deep
// enough for half of the core's pressure. A vertex is inserted if the sine of the smallest dihedral angle
// stays at least what it was or that of three degrees, and in any case above half of what it was.
void fill_core(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction);

}  // namespace abut::preprocess
