#pragma once

#include <limits>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

// Contact points of a non-convex asset with another asset or a primitive.
namespace abut::dynamics {

// Points that one pair of shapes keeps at most.
inline constexpr std::size_t kMaxAssetPoints = 16;

// What a search for the samples of one shape near another leaves to the next: it saves queries and changes
// no answer.
struct NearSamples {
  // A sample that may touch.
  struct Sample {
    std::int32_t index;  // of SurfaceSamples
    double reach;        // what the shapes must have travelled before it may touch, m
  };
  Pose<double> X_SO;     // of the samples' shape in the other's frame, at the last search
  double travelled = 0;  // m that a sample has moved in that frame at most, search after search
  double horizon = -std::numeric_limits<double>::infinity();  // all reaches up to it are listed, m
  std::vector<Sample> samples;                                // ascending indices
};

// Of a pair of shapes, from step to step.
struct AssetMemory {
  NearSamples of_A, of_B;  // samples of A near B; of B near A

  // The next search is a new one.
  void forget() { of_A.horizon = of_B.horizon = -std::numeric_limits<double>::infinity(); }
};

// Scratch memory of one thread.
struct AssetWorkspace {
  std::vector<NearSamples::Sample> met;  // found by the search at hand
  std::vector<double> spread;            // of each point: the distance, m, to those that are kept
};

// The samples of either surface against the exact signed distance of the other shape: points with gap <=
// margin, thinned out to kMaxAssetPoints that span the contact. Samples are those of surface_samples
// and of primitive_samples.h. The points do not depend on the memory. Edges of two surfaces that cross
// between samples are not seen: samples should be as close as what they touch is fine. Allocates only to
// grow.
void asset_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory& memory,
                  AssetWorkspace& workspace, std::vector<SurfacePoint>& points);

// The point of one sample, whatever its gap, by the feature that asset_points has named it by.
SurfacePoint asset_point(const PlacedShape& A, const PlacedShape& B, std::uint64_t feature);

}  // namespace abut::dynamics
