#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "preprocess/pressure/volume.h"

// A level of detail. Internal to make_volumes().
namespace abut::preprocess {

struct VolumeLevel {
  MadeVolume made;
  TetrahedralQuality quality;
  Report report;                 // of the attempt that was kept
  double hausdorff_percent = 0;  // of its surface to the one given, of the diagonal
  std::string limit;             // why it is not as coarse as wanted; empty if it is
};

// What makes a volume within a surface as it is: make_volume() with its parameters.
using VolumeMaker = std::function<MadeVolume(const TriangleMesh&, Report&)>;

// The level of about `target` tetrahedra whose smallest dihedral angle is at least kLeastDihedral. Where the
// simplified surface leaves too little of a thin wall for that, the distance gate of the simplification is
// tightened, and the gap to what failed halved twice: the level is then finer than wanted, about the coarsest
// that holds, and `limit` says so. When `make` reaches a limit the search ends with the best level so far,
// and a warning in its report says so. Throws InvalidInput where no attempt succeeds, LimitReached if that
// was for a limit.
VolumeLevel find_level(const TriangleMesh& closed, std::int64_t target, const VolumeMaker& make);

// Degrees.
inline constexpr double kLeastDihedral = 1;
// A level comes within this share of its target, or `limit` says why not.
inline constexpr double kLevelTolerance = 0.25;

}  // namespace abut::preprocess
