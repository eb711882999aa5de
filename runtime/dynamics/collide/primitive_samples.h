#pragma once

#include <cstdint>

#include "runtime/body/primitives/kind.h"

// Samples of primitives, whose distances from a surface stand for the primitive's own. Internal to the search
// for contact points.
namespace abut::dynamics {

// A ball within a shape that touches its surface. Radius 0: a point.
struct Ball {
  Vec3<double> center;  // in the shape's frame, m
  double radius = 0;    // m
};

// How many samples a primitive with that core has; 0 for a half-space.
std::int32_t samples_of_core(const body::SweptCore<double>& core);

// One of them, by its number. A box has its corners, a hull of rims points of the rims, or the apex. Along
// the axes of segments and of hulls of rims stand balls that touch the side, no farther apart than their
// radius where there are enough of them. An ellipsoid has balls about points of the disc between its foci,
// whose union is the ellipsoid to half a percent of its largest semi-axis.
Ball sample_of_core(const body::SweptCore<double>& core, std::int32_t index);

}  // namespace abut::dynamics
