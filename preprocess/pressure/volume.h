#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/pressure/extent.h"
#include "preprocess/tetrahedralize/interior_points.h"
#include "preprocess/tetrahedralize/tetrahedralize.h"
#include "runtime/asset/asset.h"

// The volumes of an asset: tetrahedra with their extent field, at one or several levels of detail.
namespace abut::preprocess {

struct VolumeParameters {
  // Tetrahedra per level; a level comes within a quarter of its target, or a warning says why not.
  std::vector<std::int64_t> tetrahedra = {6000};
  ExtentParameters extent;
  // Cavities that the surface encloses are filled, with what lies in them; otherwise they stay empty, and
  // their walls are surface.
  bool fill_voids = false;
  TetrahedralizeLimits limits;
};

// Range of a level's target.
inline constexpr std::int64_t kMinTetrahedra = 4;
inline constexpr std::int64_t kMaxTetrahedra = 1'000'000;

// The volume of a tetrahedral mesh and its field, as the runtime wants it.
asset::Volume build_volume(const TetrahedralMesh& mesh, const ExtentField& field);

struct MadeVolume {
  TetrahedralMesh mesh;
  ExtentField field;
};

// Tetrahedra within a closed surface as it is, the core's boundary among their faces as far as there is room.
// Throws InvalidInput where the surface is no boundary of a solid, the solid is thinner than 10 micrometres
// all over, or TetGen fails.
TetrahedralMesh make_tetrahedra(const TriangleMesh& surface, const VolumeParameters& parameters);

// The field of these tetrahedra, which have more vertices afterwards where they missed the core.
MadeVolume make_field(TetrahedralMesh mesh, const TriangleMesh& surface, const VolumeParameters& parameters,
                      Report& report);

// Both.
MadeVolume make_volume(const TriangleMesh& surface, const VolumeParameters& parameters, Report& report);

// One volume per target, the finest first: simplifies (or refines) the closed surface to the number of
// triangles that leads to the number of tetrahedra. Where so few would leave dihedral angles below one
// degree, as in a thin wall, the level is the coarsest found that does not: coarser targets then repeat it,
// and one warning says for all of them what was reached and why. Where the field takes more vertices for
// walls and narrow parts, the surface is coarser by as much, if that comes nearer to the target. A level that
// cannot be made is left out with a warning. Measures per level, as volume<level>_<name>: tetrahedra,
// surface_triangles, min_dihedral_degrees, p1_dihedral_degrees, zero_pressure_percent (of surface triangles),
// hausdorff_percent, missed_core_percent (of fields with a core; above 10 with a warning),
// max_principle_repairs, seconds. Throws InvalidInput where a target is out of range, or no level can be
// made.
std::vector<asset::Volume> make_volumes(const TriangleMesh& closed, const VolumeParameters& parameters,
                                        Report& report);

}  // namespace abut::preprocess
