#pragma once

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"

namespace abut::body {

// Of a ball the points are 0.11 radii apart.
inline constexpr int kSampleCount = 1000;

// About kSampleCount points of a primitive's surface, evenly spread (of an ellipsoid: those of a ball,
// stretched), with corners, edges, rims and tips among them: where other bodies' fields are asked for. With
// normals (on edges the mean of both sides), areas, and in blocks; without quads, thickness and tree. A half
// turn about z takes them into themselves. Throws InvalidInput as require_valid does, and for a half-space.
asset::OrientedPoints sample_surface(const Primitive& primitive);

}  // namespace abut::body
