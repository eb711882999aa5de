#pragma once

#include <variant>

#include "runtime/asset/asset.h"
#include "runtime/witness/shapes.h"

namespace abut::contact {

// Rigid partners of pressure-field contact besides half-spaces and the surfaces of assets; a sphere is a
// capsule without length. Axes along z, centres at the origin, m.
using RigidPrimitive =
    std::variant<witness::Box<double>, witness::Capsule<double>, witness::Cylinder<double>>;

// Its surface as triangles, in a tree: an asset with that part alone, without neighbours and normals, to be
// the body whose modulus is kRigid. A box is exact. Round ones lie within `deviation` (m) of their triangles,
// half of it to either side, so that shallow contact is neither too weak nor too strong. Throws InvalidInput
// for sizes that are not positive and finite (a capsule's length may be 0) and for a deviation below 1e-6 or
// above half of the radius.
asset::Asset rigid_primitive(const RigidPrimitive& shape, double deviation);

}  // namespace abut::contact
