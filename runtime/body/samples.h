#pragma once

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"

namespace abut::body {

// Approximate number of samples of a primitive; on a ball they are 0.11 radii apart.
inline constexpr int kSampleCount = 1000;

// Samples a primitive's surface at about kSampleCount evenly spread points (an ellipsoid's are those of a
// ball, stretched), which include corners, edges, rims and tips; contact models evaluate the other body's
// field at them. The points have normals (on edges the mean of both sides), areas and blocks, but no quads,
// thickness or tree. A half turn about z maps the set onto itself. Throws InvalidInput as require_valid does,
// and for a half-space.
asset::OrientedPoints sample_surface(const Primitive& primitive);

}  // namespace abut::body
