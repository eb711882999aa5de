#pragma once

#include <string>

#include "runtime/asset/asset.h"
#include "runtime/core/error.h"
#include "runtime/math/pose.h"

// Two assets in relative pose: what contact models and derivative estimators consume.
namespace abut::asset {

// Parts of an asset that a model or an estimator may need, as bits.
enum Parts : unsigned { kNoPart = 0, kConvexPart = 1, kSurfacePart = 2, kVolumePart = 4, kPointsPart = 8 };

// The views must outlive the pair. X_AB: pose of B's object frame in A's.
struct PosedPair {
  const AssetView* A = nullptr;
  const AssetView* B = nullptr;
  Pose<double> X_AB;
};

// Largest entry of R'R - I that a pose may have: a rotation given in single precision passes.
inline constexpr double kRotationTolerance = 1e-5;

// What of `needs` the asset lacks, and what to do about it; null where it has all.
inline const char* missing_part(const AssetView& asset, unsigned needs) {
  if ((needs & kConvexPart) != 0 && asset.convex.vertex_count <= 0)
    return "has no convex hull; preprocess the object again";
  if ((needs & kSurfacePart) != 0 && asset.surface.triangle_count <= 0)
    return "has no surface; preprocess the object again";
  if ((needs & kVolumePart) != 0 && asset.volume.tetrahedron_count <= 0)
    return "has no tetrahedra; preprocess the object again with --tets";
  if ((needs & kPointsPart) != 0 && asset.points.blocks.block_count <= 0)
    return "has no oriented points; preprocess the object again with --quads";
  return nullptr;
}

// Throws InvalidInput, naming `who` and the body, unless the assets have their parts and X_AB is a finite
// pose with a rotation. Allocates only to throw.
inline void require_valid(const PosedPair& pair, unsigned needs_A, unsigned needs_B, const char* who) {
  const auto refuse = [who](const std::string& what) { throw InvalidInput(std::string(who) + ": " + what); };
  if (pair.A == nullptr || pair.B == nullptr)
    refuse(pair.A == nullptr ? "asset A is missing" : "asset B is missing");
  if (const char* missing = missing_part(*pair.A, needs_A)) refuse(std::string("asset A ") + missing);
  if (const char* missing = missing_part(*pair.B, needs_B)) refuse(std::string("asset B ") + missing);
  if (!pair.X_AB.finite()) refuse("the pose X_AB has an entry that is NaN or infinite");
  if (!(rotation_error(pair.X_AB.R) <= kRotationTolerance)) {
    refuse("R_AB of the pose is not a rotation; normalise it (or its quaternion) first");
  }
}

inline void require_valid(const PosedPair& pair, unsigned needs, const char* who) {
  require_valid(pair, needs, needs, who);
}

}  // namespace abut::asset
