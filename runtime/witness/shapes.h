#pragma once

#include "runtime/body/primitive.h"

namespace abut::witness {

using body::Box;
using body::Capsule;
using body::Cone;
using body::Cylinder;
using body::Ellipsoid;
using body::HalfSpace;
using body::Sphere;

// The Minkowski sum of a shape and a ball of radius `radius`.
template <class S, class Shape>
struct Swept {
  Shape shape;  // summand
  S radius;     // m, >= 0
};

namespace detail {

// Whether a shape is a half-space, at compile time.
template <class Shape>
inline constexpr bool kHalfSpace = false;
template <class S>
inline constexpr bool kHalfSpace<HalfSpace<S>> = true;
template <class S, class Shape>
inline constexpr bool kHalfSpace<Swept<S, Shape>> = kHalfSpace<Shape>;

}  // namespace detail

}  // namespace abut::witness
