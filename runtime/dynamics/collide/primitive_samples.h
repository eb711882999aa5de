#pragma once

#include <cstdint>

#include "runtime/body/primitives/kind.h"

// Samples of primitives. Contact with an asset evaluates the asset's signed distance at them. Internal to the
// search for contact points.
namespace abut::dynamics {

// A ball inside a shape that touches its surface, or a point, with radius 0.
struct Ball {
  Vec3<double> center;  // in the shape's frame, m
  double radius = 0;    // m
};

// Returns the number of samples of a primitive with this core; 0 for a half-space.
std::int32_t samples_of_core(const body::SweptCore<double>& core);

// Returns the sample with this number. The samples of a box are its corners; those of a hull of two rims are
// points on the rims, or the apex, and balls along the axis that touch the side; those of a segment are balls
// along it. Neighbouring balls are at most a radius apart unless that takes too many of them. The samples of
// an ellipsoid are balls centred on its focal disc, whose union fills it to half a percent of its largest
// semi-axis.
Ball sample_of_core(const body::SweptCore<double>& core, std::int32_t index);

// A rim about the z axis of the shape's frame.
struct Rim {
  double z, radius;  // m
};

// Returns the upper rim (0) or the lower one (1) of a hull of two rims. The radius is 0 at an apex and for
// other cores.
Rim rim_of_core(const body::SweptCore<double>& core, std::int32_t index);

}  // namespace abut::dynamics
