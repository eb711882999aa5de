#pragma once

#include "runtime/math/pose.h"

// Shapes in closed form, each in a frame of its own.
namespace abut::body {

// Ball about the origin.
template <class S>
struct Sphere {
  S radius;  // m, >= 0
};

// All points within `radius` of the segment from (0, 0, -half_length) to (0, 0, half_length).
template <class S>
struct Capsule {
  S half_length;  // m, >= 0
  S radius;       // m, >= 0
};

// Axis-aligned box about the origin.
template <class S>
struct Box {
  Vec3<S> half;  // half sizes, m, > 0
};

// Axis-aligned ellipsoid about the origin.
template <class S>
struct Ellipsoid {
  Vec3<S> semi_axes;  // m, > 0
};

// All points within `radius` of the z axis and |z| <= half_length.
template <class S>
struct Cylinder {
  S half_length;  // m, > 0
  S radius;       // m, > 0
};

// Hull of the apex (0, 0, half_length) and the disc of `radius` about (0, 0, -half_length).
template <class S>
struct Cone {
  S half_length;  // m, > 0
  S radius;       // m, > 0
};

// The half-space z <= 0. Two of them have no witness points.
template <class S>
struct HalfSpace {
  // The depth over which the pressure of a compliant one grows by its modulus, m, > 0. No other query heeds
  // it.
  S thickness = S(0.01);
};

}  // namespace abut::body
