#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "preprocess/pieces/lattice.h"
#include "preprocess/pieces/polytope.h"

// Convex regions that hold much of a solid and nothing far outside it. Internal to the pieces.
namespace abut::preprocess {

// What regions are to hold, and what none may.
struct Ground {
  std::vector<Eigen::Vector3d> targets;  // of the solid: inside, or of its surface moved inside, m
  std::vector<Eigen::Vector3d> outer;    // the same, on the surface where they are of it, m
  std::vector<LevelPoint> obstacles;     // of the level beyond which a piece reaches too far
};

struct Region {
  std::vector<Plane> planes;
  std::vector<std::int32_t> held;                        // targets behind all planes, ascending
  std::int64_t gain = 0;                                 // those of them that were wanted
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();      // of those, m
  Eigen::Matrix3d metric = Eigen::Matrix3d::Identity();  // inverse of their second moments, up to a factor
};

// Grows a region about `seed` (m) as [Deits2015] does: plane after plane is put through the obstacle that is
// nearest in `metric`, until the hull of what is held has none. Differs from [Deits2015]: a plane takes, of
// some directions, the surface's own among them, the one that leaves most of what is wanted (one char for
// each target), and obstacles outside the hull of what is held need no plane.
Region grow(const Ground& ground, const std::vector<char>& wanted, const Eigen::Vector3d& seed,
            const Eigen::Matrix3d& metric);

}  // namespace abut::preprocess
