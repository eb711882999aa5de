#pragma once

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"

namespace abut::body {

// Fills a primitive with tetrahedra that carry the extent field of pressure-field contact: 0 on the surface
// triangles of tessellation.h, 1 on the core, linear in between. The core of a box, cylinder, capsule or cone
// is where the depth below the surface is greatest (a point, a segment or a flat piece), and the extent is
// the depth divided by that greatest depth, as in [Drake], which is exact for a box. The core of a sphere or
// an ellipsoid is its centre, with extent 1 - |p / semi-axes|.
//
// Differs from [Elandt2019, Eq. 4], where the extent is harmonic between the surface and a core of positive
// thickness. Here one to three tetrahedra per triangle hold the whole field, and its slope at the surface is
// uniform (except for ellipsoids).
//
// `deviation` is that of tessellate(). Throws InvalidInput as tessellate() does.
asset::Volume tetrahedralize(const Primitive& primitive, double deviation);

}  // namespace abut::body
