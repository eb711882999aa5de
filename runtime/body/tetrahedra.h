#pragma once

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"

namespace abut::body {

// The inside of a primitive in tetrahedra with the extent field of pressure-field contact: 0 on the triangles
// that tessellation.h makes of its surface, 1 on its core, linear from one to the other. The core of a box, a
// cylinder, a capsule and a cone is where the depth below the surface is greatest (a point, a segment or a
// flat piece): the extent is the depth over that, as [Drake] has it, exactly so for a box. That of a sphere
// and an ellipsoid is the centre: 1 - |p / semi-axes|.
//
// Differs from [Elandt2019, Eq. 4]: there the extent is harmonic between the surface and a core of positive
// thickness. Here one to three tetrahedra to a triangle hold the whole field, and its slope at the surface is
// the same all over (but for ellipsoids).
//
// `deviation`: as tessellate() has it. Throws InvalidInput as it does.
asset::Volume tetrahedralize(const Primitive& primitive, double deviation);

}  // namespace abut::body
