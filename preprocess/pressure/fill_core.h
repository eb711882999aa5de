#pragma once

#include "preprocess/tetrahedralize/inradius.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

// Internal to make_volume().
namespace abut::preprocess {

// Puts vertices into the core where tetrahedra of it have none that is deep enough for half of its pressure,
// as in walls and narrow parts; where the sine of the smallest dihedral angle stays what it was or above that
// of three degrees, and above half of what it was.
void fill_core(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction);

}  // namespace abut::preprocess
