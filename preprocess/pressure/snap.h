#pragma once

#include "preprocess/tetrahedralize/inradius.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

// Internal to make_volume().
namespace abut::preprocess {

// Moves inner vertices that have drifted from the core's boundary back to it, along the line to their foot on
// the surface, if the dihedral angles around them stay above kSnappedDihedral or do not decrease. Otherwise
// the improvement of the angles would leave the core dented, and the field too soft.
void snap_to_core(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction);

// Degrees.
inline constexpr double kSnappedDihedral = 15;

}  // namespace abut::preprocess
