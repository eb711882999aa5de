#pragma once

#include "runtime/body/primitive.h"
#include "runtime/math/pose.h"

// Exact signed distance of primitives, with derivatives up to third order.
//
//   const auto d = body::primitive_distance<double>(body::Sphere<double>{0.02}, p_PQ, 2);
namespace abut::body {

// Computes the signed distance of a point Q (p_Q, m, finite) in the primitive's frame. `order` (0 to 3): the
// highest derivative wanted; higher ones are zero. Where several points of the surface are nearest (a ball's
// centre, an axis, the surfaces inside solids with edges that bisect the angles at those edges, the flat disc
// between an ellipsoid's foci) the gradient jumps; it is then that of one of these points. Second derivatives
// jump where the nearest point passes from a face to an edge, and grow with the reciprocal distance from an
// edge, an apex or a centre; at a centre itself they are zero. For double and long double.
template <class S>
PrimitiveDistance<S> primitive_distance(const Primitive& primitive, const Vec3<S>& p_Q, int order);

// Computes only the value, m; bit-identical to that of primitive_distance with order 0.
template <class S>
S primitive_value(const Primitive& primitive, const Vec3<S>& p_Q);

}  // namespace abut::body
