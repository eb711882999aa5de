#pragma once

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"
#include "runtime/body/triangle_mesh.h"

namespace abut::body {

inline constexpr double kLeastDeviation = 1e-5, kGreatestDeviation = 0.5;  // range of `deviation`

// Throws InvalidInput for a deviation outside that range.
void require_deviation(double deviation);

// Triangulates the surface of a primitive, in its frame. A box is exact. A round surface stays within
// `deviation` of its triangles, in units of the radius (of an ellipsoid: along each axis, of that semi-axis),
// half of it on either side, so that shallow contact is neither too weak nor too strong. Throws InvalidInput
// as require_valid does, for a half-space, and for a deviation out of range.
TriangleMesh triangulate(const Primitive& primitive, double deviation);

// Returns the same triangles with a tree, without neighbours and normals: what pressure-field contact needs
// of a rigid body.
asset::Surface tessellate(const Primitive& primitive, double deviation);

}  // namespace abut::body
