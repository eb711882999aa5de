#pragma once

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"
#include "runtime/body/triangle_mesh.h"

namespace abut::body {

inline constexpr double kLeastDeviation = 1e-5, kGreatestDeviation = 0.5;  // of the deviation below

// Throws InvalidInput for a deviation out of that range.
void require_deviation(double deviation);

// The surface of a primitive as triangles, in its frame. A box is exact. Round ones lie within `deviation`,
// in units of the radius (of an ellipsoid: along each axis, of the semi-axis), of their triangles, half of it
// to either side, so that shallow contact is neither too weak nor too strong. Throws InvalidInput as
// require_valid does, for a half-space, and for a deviation out of range.
TriangleMesh triangulate(const Primitive& primitive, double deviation);

// The same in a tree, without neighbours and normals: what pressure-field contact needs of a rigid body.
asset::Surface tessellate(const Primitive& primitive, double deviation);

}  // namespace abut::body
