#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "preprocess/pressure/volume.h"

// A level of detail, before it has its field. Internal to make_volumes().
namespace abut::preprocess {

struct VolumeLevel {
  TriangleMesh surface;
  TetrahedralMesh mesh;
  TetrahedralQuality quality;
  Report report;                 // of the search
  double hausdorff_percent = 0;  // of its surface to the one given, of the diagonal
  std::string limit;             // why it is not as coarse as wanted; empty if it is
};

// What makes tetrahedra within a surface as it is: make_tetrahedra() with its parameters.
using TetrahedraMaker = std::function<TetrahedralMesh(const TriangleMesh&)>;

// The level of about `target` tetrahedra whose smallest dihedral angle is at least kLeastDihedral. Where the
// simplified surface leaves too little of a thin wall for that, the distance gate of the simplification is
// tightened, and the gap to what failed halved twice: the level is then finer than wanted, about the coarsest
// that holds, and `limit` says so. When `make` reaches a limit the search ends with the best level so far,
// and a warning in its report says so. Throws InvalidInput where no attempt succeeds, LimitReached if that
// was for a limit.
VolumeLevel find_level(const TriangleMesh& closed, std::int64_t target, const TetrahedraMaker& make);

// Degrees.
inline constexpr double kLeastDihedral = 1;
// A level comes within this share of its target, or `limit` says why not.
inline constexpr double kLevelTolerance = 0.25;

}  // namespace abut::preprocess
