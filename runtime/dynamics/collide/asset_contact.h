#pragma once

#include <limits>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

// Contact points of an asset, which need not be convex, with another asset or a primitive.
namespace abut::dynamics {

// Largest number of points of one pair of shapes.
inline constexpr std::size_t kMaxAssetPoints = 16;

// Result of a search for the samples of one shape near another, cached for the next search. It saves distance
// queries and does not change results.
struct NearSamples {
  // A sample that may touch the other shape.
  struct Sample {
    std::int32_t index;  // in SurfaceSamples
    double reach;        // value of `travelled` before which it cannot touch, m
  };
  Pose<double> X_SO;     // of the samples' shape in the other's frame, at the last search
  double travelled = 0;  // upper bound of the path of any sample in that frame since the listing, m
  double horizon = -std::numeric_limits<double>::infinity();  // samples with less reach are listed, m
  std::vector<Sample> samples;                                // ascending indices
};

// The cache of a pair of shapes from step to step.
struct AssetMemory {
  NearSamples of_A, of_B;  // samples of A near B, and of B near A

  // Makes the next search start anew.
  void forget() { of_A.horizon = of_B.horizon = -std::numeric_limits<double>::infinity(); }
};

// Scratch memory of one thread.
struct AssetWorkspace {
  std::vector<NearSamples::Sample> met;  // found by the current search
  std::vector<double> spread;            // scratch of keep_spread (contact_reduction.h)
};

// Appends contact points with gap <= margin, m, reduced to kMaxAssetPoints that span the contact. Evaluates
// the exact signed distance of each shape at the samples of the other one: those of surface_samples
// and of primitive_samples.h. The points do not depend on the memory. Edges of two surfaces that cross
// between samples are missed, so the samples should be as dense as the details that they touch. Allocates
// only to grow.
void asset_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory& memory,
                  AssetWorkspace& workspace, std::vector<SurfacePoint>& points);

// Returns the contact point of one sample for any gap, given the feature by which asset_points identifies it.
SurfacePoint asset_point(const PlacedShape& A, const PlacedShape& B, std::uint64_t feature);

}  // namespace abut::dynamics
