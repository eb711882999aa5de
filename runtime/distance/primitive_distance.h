#pragma once

#include <array>

#include "runtime/body/primitive.h"
#include "runtime/math/pose.h"

// Exact signed distance of primitives, with derivatives up to the third.
//
//   const auto d = distance::primitive_distance<double>(body::Sphere<double>{0.02}, p_PQ, 2);
namespace abut::distance {

// Of a primitive at a point Q, in the primitive's frame.
template <class S>
struct PrimitiveDistance {
  S value;                       // m, negative inside
  Vec3<S> gradient;              // unit, outward
  Mat3<S> hessian;               // 1/m, symmetric
  std::array<Mat3<S>, 3> third;  // 1/m^2: derivative of the Hessian by each coordinate of Q
};

// `order` (0 to 3): how many derivatives are wanted; the others are zero. p_Q: m, finite. Where several
// points of the surface are nearest (the centre of a ball, an axis, within solids with edges the surfaces
// that halve their angles, the flat disc between an ellipsoid's foci) the gradient jumps: it is that to one
// of them. Second derivatives jump where the nearest point goes from face to edge, and grow like one over the
// distance from an edge, an apex or a centre; at a centre itself they are zero. For double and long double.
template <class S>
PrimitiveDistance<S> primitive_distance(const body::Primitive& primitive, const Vec3<S>& p_Q, int order);

}  // namespace abut::distance
