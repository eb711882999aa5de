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
  // Targets, one for each level; a level is within a quarter of its target, or a warning gives the reason.
  std::vector<std::int64_t> tetrahedra = {6000};
  ExtentParameters extent;
  // Whether to fill cavities that the surface encloses, with all that lies in them. Otherwise they stay
  // empty, and their walls are part of the surface.
  bool fill_voids = false;
  TetrahedralizeLimits limits;
};

// Range of a level's target.
inline constexpr std::int64_t kMinTetrahedra = 4;
inline constexpr std::int64_t kMaxTetrahedra = 1'000'000;

// The runtime's representation of a tetrahedral mesh and its field.
asset::Volume build_volume(const TetrahedralMesh& mesh, const ExtentField& field);

struct MadeVolume {
  TetrahedralMesh mesh;
  ExtentField field;
};

// Makes tetrahedra within an unchanged closed surface, with the core's boundary among their faces where there
// is room. Throws InvalidInput if the surface does not bound a solid, the solid is nowhere thicker than 10
// micrometres, or TetGen fails.
TetrahedralMesh make_tetrahedra(const TriangleMesh& surface, const VolumeParameters& parameters);

// Computes the field of these tetrahedra; the mesh gains vertices where it missed the core.
MadeVolume make_field(TetrahedralMesh mesh, const TriangleMesh& surface, const VolumeParameters& parameters,
                      Report& report);

// make_tetrahedra() followed by make_field().
MadeVolume make_volume(const TriangleMesh& surface, const VolumeParameters& parameters, Report& report);

// Measure, 1 where TetGen reached a limit (TetrahedralizeLimits), and a machine with more time would make
// other volumes.
inline constexpr const char* kLimitReached = "tetgen_limit_reached";

// Makes one volume for each target, the finest first: simplifies (or refines) the closed surface to the
// number of triangles that leads to the wanted number of tetrahedra. If so few would leave dihedral angles
// below one degree, as in a thin wall, the level is the coarsest one found that does not. Coarser targets
// then repeat it, and a single warning says for all of them what was reached and why. If the field adds
// vertices for walls and narrow parts, the surface is coarsened to compensate, if that comes closer to the
// target. A level that cannot be made is omitted with a warning. Measures of each level, as
// volume<level>_<name>: tetrahedra, surface_triangles, min_dihedral_degrees, p1_dihedral_degrees,
// zero_pressure_percent (of surface triangles), hausdorff_percent, missed_core_percent (of fields with a
// core; above 10 with a warning), max_principle_repairs, seconds; and kLimitReached. Throws InvalidInput if a
// target is out of range, or no level can be made.
std::vector<asset::Volume> make_volumes(const TriangleMesh& closed, const VolumeParameters& parameters,
                                        Report& report);

}  // namespace abut::preprocess
