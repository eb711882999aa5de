#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "preprocess/pieces/lattice.h"
#include "preprocess/pieces/polytope.h"

// Convex regions that hold much of a solid and reach nowhere far outside it. Internal to the pieces.
namespace abut::preprocess {

// Points that the regions are to hold, and points that no region may contain.
struct Ground {
  std::vector<Eigen::Vector3d> targets;  // points inside the solid, and surface points moved inside, m
  std::vector<Eigen::Vector3d> outer;    // the same points, but those of the surface not moved, m
  std::vector<LevelPoint> obstacles;     // points of the level set beyond which a piece reaches too far
};

struct Region {
  std::vector<Plane> planes;
  std::vector<std::int32_t> held;                        // targets behind all planes, ascending
  std::int64_t gain = 0;                                 // number of held targets that were wanted
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();      // mean of those, m
  Eigen::Matrix3d metric = Eigen::Matrix3d::Identity();  // inverse of their second moments, up to a factor
};

// Grows a region around `seed` (m) in the manner of [Deits2015]: planes are put one by one through the
// obstacle that is nearest in `metric`, until the hull of the held targets contains no obstacle. Differs from
// [Deits2015]: of several plane normals, among them the surface's own, the one that keeps most of the wanted
// targets (flags in `wanted`) is chosen, and obstacles outside the hull of the held targets need no plane.
Region grow(const Ground& ground, const std::vector<char>& wanted, const Eigen::Vector3d& seed,
            const Eigen::Matrix3d& metric);

}  // namespace abut::preprocess
