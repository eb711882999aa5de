#pragma once

#include "runtime/witness/shapes.h"

// Cylinder and cone: hulls of two rims, circles about the z axis in planes of constant z.
namespace abut::witness {

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

template <class S>
struct Rim {
  S z, radius;  // m
};

// Rim 0 is the upper one.
template <class S>
Rim<S> rim(const Cylinder<S>& cylinder, std::int32_t i) {
  return {i == 0 ? cylinder.half_length : -cylinder.half_length, cylinder.radius};
}
template <class S>
Rim<S> rim(const Cone<S>& cone, std::int32_t i) {
  return i == 0 ? Rim<S>{cone.half_length, 0} : Rim<S>{-cone.half_length, cone.radius};
}
template <class S, class Shape>
Rim<S> rim(const Swept<S, Shape>& swept, std::int32_t i) {
  return rim<S>(swept.shape, i);
}

// Whether the core is the hull of two rims.
template <class Shape>
inline constexpr bool kHasRims = false;
template <class S>
inline constexpr bool kHasRims<Cylinder<S>> = true;
template <class S>
inline constexpr bool kHasRims<Cone<S>> = true;
template <class S, class Shape>
inline constexpr bool kHasRims<Swept<S, Shape>> = kHasRims<Shape>;

template <class S>
inline constexpr bool kCurved<Cylinder<S>> = true;
template <class S>
inline constexpr bool kCurved<Cone<S>> = true;

namespace detail {

// The index is that of the rim; along the axis the rim's centre stands for its disc.
template <class S, class Shape>
SupportPoint<S> rims_support(const Shape& shape, const Vec3<S>& n) {
  using std::hypot;
  const S across = hypot(n.x(), n.y());
  const Rim<S> top = rim<S>(shape, 0), bottom = rim<S>(shape, 1);
  const bool lower = top.z * n.z() + top.radius * across < bottom.z * n.z() + bottom.radius * across;
  const Rim<S>& best = lower ? bottom : top;
  const S scale = across > 0 ? best.radius / across : S(0);
  return {Vec3<S>(scale * n.x(), scale * n.y(), best.z), lower};
}

}  // namespace detail

template <class S>
SupportPoint<S> core_support(const Cylinder<S>& cylinder, const Vec3<S>& n) {
  return detail::rims_support(cylinder, n);
}
template <class S>
SupportPoint<S> core_support(const Cone<S>& cone, const Vec3<S>& n) {
  return detail::rims_support(cone, n);
}
template <class S>
SupportPoint<S> support(const Cylinder<S>& cylinder, const Vec3<S>& n, std::int32_t = -1) {
  return {detail::rims_support(cylinder, n).point, -1};
}
template <class S>
SupportPoint<S> support(const Cone<S>& cone, const Vec3<S>& n, std::int32_t = -1) {
  return {detail::rims_support(cone, n).point, -1};
}

template <class T, class S>
Cylinder<T> cast_shape(const Cylinder<S>& cylinder) {
  return {static_cast<T>(cylinder.half_length), static_cast<T>(cylinder.radius)};
}
template <class T, class S>
Cone<T> cast_shape(const Cone<S>& cone) {
  return {static_cast<T>(cone.half_length), static_cast<T>(cone.radius)};
}

template <class S>
bool usable(const Cylinder<S>& cylinder) {
  return cylinder.half_length > 0 && cylinder.radius > 0 && std::isfinite(cylinder.half_length) &&
         std::isfinite(cylinder.radius);
}
template <class S>
bool usable(const Cone<S>& cone) {
  return usable(Cylinder<S>{cone.half_length, cone.radius});
}

}  // namespace abut::witness
