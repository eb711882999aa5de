#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "preprocess/pressure/volume.h"

// A level of detail before its field is computed. Internal to make_volumes().
namespace abut::preprocess {

struct VolumeLevel {
  TriangleMesh surface;
  TetrahedralMesh mesh;
  TetrahedralQuality quality;
  Report report;                 // of the search
  double hausdorff_percent = 0;  // from its surface to the given one, of the diagonal
  std::string limit;             // why it is finer than wanted; empty if it is not
  bool limit_reached = false;    // whether `make` reached a limit before the search was done
};

// Makes tetrahedra within an unchanged surface: make_tetrahedra() with its parameters bound.
using TetrahedraMaker = std::function<TetrahedralMesh(const TriangleMesh&)>;

// Finds the level of about `target` tetrahedra whose smallest dihedral angle is at least kLeastDihedral. If
// the simplified surface is too coarse for that in a thin wall, the distance gate of the simplification is
// tightened, and the gap to the finest failed surface is halved twice: the level is then finer than wanted,
// about the coarsest that satisfies the limit, and `limit` says so. If `make` reaches a limit, the search
// ends with the best level so far, and a warning in its report says so. Throws InvalidInput if no attempt
// succeeds, LimitReached if a limit was the reason.
VolumeLevel find_level(const TriangleMesh& closed, std::int64_t target, const TetrahedraMaker& make);

// Degrees.
inline constexpr double kLeastDihedral = 1;
// A level is within this fraction of its target, or `limit` gives the reason.
inline constexpr double kLevelTolerance = 0.25;

}  // namespace abut::preprocess
