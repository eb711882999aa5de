#pragma once

#include "runtime/witness/support.h"

// Shapes in closed form beside sphere and ellipsoid (support.h), and the ball that any shape may be swept
// with.
namespace abut::witness {

// Axis-aligned box about the origin of its frame.
template <class S>
struct Box {
  Vec3<S> half;  // half sizes, m, > 0
};

// All points within `radius` of the segment from (0, 0, -half_length) to (0, 0, half_length).
template <class S>
struct Capsule {
  S half_length;  // m, >= 0
  S radius;       // m, >= 0
};

// The half-space z <= 0. It has a support point along z alone: separation() asks the other body for its
// lowest point instead. Two of them have no witness points.
template <class S>
struct HalfSpace {};

// A shape and a ball of `radius` summed (Minkowski).
template <class S, class Shape>
struct Swept {
  Shape shape;
  S radius;  // m, >= 0
};

// Corner i of a box: bit k of i set where coordinate k is negative.
template <class S>
Vec3<S> core_vertex(const Box<S>& box, std::int32_t i) {
  const Vec3<S>& h = box.half;
  return {i & 1 ? -h.x() : h.x(), i & 2 ? -h.y() : h.y(), i & 4 ? -h.z() : h.z()};
}
template <class S>
Vec3<S> core_vertex(const Capsule<S>& capsule, std::int32_t i) {
  return {0, 0, i == 0 ? capsule.half_length : -capsule.half_length};
}
template <class S, class Shape>
Vec3<S> core_vertex(const Swept<S, Shape>& swept, std::int32_t i) {
  return core_vertex<S>(swept.shape, i);
}

template <class S>
std::int32_t vertex_count(const Box<S>&) {
  return 8;
}
template <class S>
std::int32_t vertex_count(const Capsule<S>&) {
  return 2;
}
template <class S, class Shape>
std::int32_t vertex_count(const Swept<S, Shape>& swept) {
  return vertex_count(swept.shape);
}

template <class S>
SupportPoint<S> core_support(const Box<S>& box, const Vec3<S>& n) {
  const std::int32_t i = (n.x() < 0 ? 1 : 0) | (n.y() < 0 ? 2 : 0) | (n.z() < 0 ? 4 : 0);
  return {core_vertex<S>(box, i), i};
}
template <class S>
SupportPoint<S> core_support(const Capsule<S>& capsule, const Vec3<S>& n) {
  const std::int32_t i = n.z() < 0 ? 1 : 0;
  return {core_vertex<S>(capsule, i), i};
}
template <class S, class Shape>
SupportPoint<S> core_support(const Swept<S, Shape>& swept, const Vec3<S>& n) {
  return core_support<S>(swept.shape, n);
}

template <class S>
S swept_radius(const Capsule<S>& capsule) {
  return capsule.radius;
}
template <class S, class Shape>
S swept_radius(const Swept<S, Shape>& swept) {
  return swept_radius<S>(swept.shape) + swept.radius;
}

template <class S>
SupportPoint<S> support(const Box<S>& box, const Vec3<S>& n, std::int32_t = -1) {
  return core_support(box, n);
}
template <class S>
SupportPoint<S> support(const Capsule<S>& capsule, const Vec3<S>& n, std::int32_t = -1) {
  return {core_support(capsule, n).point + capsule.radius * n.stableNormalized(), -1};
}
template <class S, class Shape>
SupportPoint<S> support(const Swept<S, Shape>& swept, const Vec3<S>& n, std::int32_t = -1) {
  return {support(swept.shape, n).point + swept.radius * n.stableNormalized(), -1};
}

template <class S, class Shape>
inline constexpr bool kCurved<Swept<S, Shape>> = kCurved<Shape>;

template <class Shape>
inline constexpr bool kHalfSpace = false;
template <class S>
inline constexpr bool kHalfSpace<HalfSpace<S>> = true;
template <class S, class Shape>
inline constexpr bool kHalfSpace<Swept<S, Shape>> = kHalfSpace<Shape>;

template <class S, class Shape>
Mat3<S> core_hessian(const Swept<S, Shape>& swept, const Vec3<S>& n) {
  return core_hessian<S>(swept.shape, n);
}

template <class T, class S>
HalfSpace<T> cast_shape(const HalfSpace<S>&) {
  return {};
}
template <class T, class S>
Box<T> cast_shape(const Box<S>& box) {
  return {box.half.template cast<T>()};
}
template <class T, class S>
Capsule<T> cast_shape(const Capsule<S>& capsule) {
  return {static_cast<T>(capsule.half_length), static_cast<T>(capsule.radius)};
}
template <class T, class S, class Shape>
auto cast_shape(const Swept<S, Shape>& swept) {
  using Cast = std::remove_cvref_t<decltype(cast_shape<T>(swept.shape))>;
  return Swept<T, Cast>{cast_shape<T>(swept.shape), static_cast<T>(swept.radius)};
}

template <class S>
bool usable(const HalfSpace<S>&) {
  return true;
}
template <class S>
bool usable(const Box<S>& box) {
  return box.half.allFinite() && box.half.minCoeff() > 0;
}
template <class S>
bool usable(const Capsule<S>& capsule) {
  return capsule.half_length >= 0 && capsule.radius >= 0 && std::isfinite(capsule.half_length) &&
         std::isfinite(capsule.radius);
}
template <class S, class Shape>
bool usable(const Swept<S, Shape>& swept) {
  return usable(swept.shape) && swept.radius >= 0 && std::isfinite(swept.radius);
}

}  // namespace abut::witness
