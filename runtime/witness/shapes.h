#pragma once

#include "runtime/math/pose.h"

// Shapes in closed form, and the ball that any shape may be swept with. Each in a frame of its own.
namespace abut::witness {

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
struct HalfSpace {};

// A shape and a ball of `radius` summed (Minkowski).
template <class S, class Shape>
struct Swept {
  Shape shape;
  S radius;  // m, >= 0
};

template <class Shape>
inline constexpr bool kHalfSpace = false;
template <class S>
inline constexpr bool kHalfSpace<HalfSpace<S>> = true;
template <class S, class Shape>
inline constexpr bool kHalfSpace<Swept<S, Shape>> = kHalfSpace<Shape>;

}  // namespace abut::witness
