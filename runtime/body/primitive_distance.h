#pragma once

#include "runtime/body/primitive.h"
#include "runtime/math/pose.h"

// Exact signed distance of primitives, with derivatives up to the third.
//
//   const auto d = body::primitive_distance<double>(body::Sphere<double>{0.02}, p_PQ, 2);
namespace abut::body {

// `order` (0 to 3): how many derivatives are wanted; the others are zero. p_Q: m, finite. Where several
// points of the surface are nearest (the centre of a ball, an axis, within solids with edges the surfaces
// that halve their angles, the flat disc between an ellipsoid's foci) the gradient jumps: it is that to one
// of them. Second derivatives jump where the nearest point goes from face to edge, and grow like one over the
// distance from an edge, an apex or a centre; at a centre itself they are zero. For double and long double.
template <class S>
PrimitiveDistance<S> primitive_distance(const Primitive& primitive, const Vec3<S>& p_Q, int order);

// The value of order 0 alone, m: the same bits.
template <class S>
S primitive_value(const Primitive& primitive, const Vec3<S>& p_Q);

}  // namespace abut::body
