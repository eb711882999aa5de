#pragma once

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

// Oriented points of primitives, for contact with objects that have no mesh; centred at the origin, in
// blocks, with quads. All functions throw InvalidInput for a size or a spacing that is not positive, and for
// more than ten million points.
namespace abut::ssdf {

// A box with the given half sizes (m): quads of about `spacing` (m) on its six sides.
asset::OrientedPoints box_points(const Vec3<double>& half, double spacing);

// A ball (m): points spread evenly along a spiral.
asset::OrientedPoints ball_points(double radius, double spacing);

// The half-space z < 0, normal +z: four points at the corners |x| = |y| = reach (m), which must stay clear of
// the other body; all have the same plane, so that the soft distance is exactly the height. Lengths of the
// contact derive from `spacing` (m) where it is the smaller one of the pair.
asset::OrientedPoints half_space_points(double reach, double spacing);

// A cylinder about z: its side and both ends.
asset::OrientedPoints cylinder_points(double radius, double half_height, double spacing);

}  // namespace abut::ssdf
