#pragma once

#include "runtime/witness/core.h"

// The point of a core's surface that is nearest to a given point, in closed form; everything in the core's
// frame, m.
namespace abut::witness {

template <class S>
struct Nearest {
  Vec3<S> x;   // on the surface
  Vec3<S> n;   // outward unit normal there: q = x + distance n
  S distance;  // signed, negative inside
};

namespace detail {

template <class S>
S norm_of(S x, S y) {
  return std::sqrt(x * x + y * y);
}

template <class S>
Nearest<S> nearest_on_point(const Vec3<S>& q) {
  const S length = q.norm();
  if (!(length > 0)) return {q, Vec3<S>::UnitX(), 0};
  return {Vec3<S>::Zero(), q / length, length};
}

// Of a point on the segment all normals across it are as good.
template <class S>
Nearest<S> nearest_on_segment(S half_length, const Vec3<S>& q) {
  const Vec3<S> x(0, 0, std::clamp(q.z(), -half_length, half_length)), w = q - x;
  const S length = w.norm();
  if (!(length > 0)) return {x, Vec3<S>::UnitX(), 0};
  return {x, w / length, length};
}

template <class S>
Nearest<S> nearest_on_box(const Vec3<S>& half, const Vec3<S>& q) {
  const Vec3<S> x = q.cwiseMax(-half).cwiseMin(half), w = q - x;
  const S length = w.norm();
  if (length > 0) return {x, w / length, length};
  Eigen::Index axis;
  const S distance = (q.cwiseAbs() - half).maxCoeff(&axis);
  const Vec3<S> n = q[axis] < 0 ? Vec3<S>(-Vec3<S>::Unit(axis)) : Vec3<S>(Vec3<S>::Unit(axis));
  return {q - distance * n, n, distance};
}

// Where the nearest point of the hull of two rims is, seen in the half-plane of the axis and q.
enum class RimsPart : std::uint8_t { kDisc, kSlope, kRim, kInside };

// A point of that half-plane and the outward normal there: distance from the axis, height; m.
template <class S>
struct OnMeridian {
  S r, z, n_r, n_z, distance;
  RimsPart part;
};

// `r`, `z`: of q. The section is the quadrangle (0, top.z), (top.radius, top.z), (bottom.radius, bottom.z),
// (0, bottom.z); top.radius <= bottom.radius.
template <class S>
OnMeridian<S> nearest_on_meridian(const Rim<S>& top, const Rim<S>& bottom, S r, S z) {
  if (z >= top.z && r <= top.radius) return {r, top.z, 0, 1, z - top.z, RimsPart::kDisc};
  if (z <= bottom.z && r <= bottom.radius) return {r, bottom.z, 0, -1, bottom.z - z, RimsPart::kDisc};
  const S run = bottom.radius - top.radius, fall = top.z - bottom.z, length = norm_of(run, fall);
  const S m_r = fall / length, m_z = run / length;  // the slope's normal; down it goes (m_z, -m_r)
  const S side = (r - top.radius) * m_r + (z - top.z) * m_z;
  const S along = (r - top.radius) * m_z - (z - top.z) * m_r;
  const S above = z - top.z, below = bottom.z - z;
  if (side <= 0 && above <= 0 && below <= 0) {
    if (side >= above && side >= below)
      return {r - side * m_r, z - side * m_z, m_r, m_z, side, RimsPart::kInside};
    return above >= below ? OnMeridian<S>{r, top.z, 0, 1, above, RimsPart::kInside}
                          : OnMeridian<S>{r, bottom.z, 0, -1, below, RimsPart::kInside};
  }
  if (along > 0 && along < length)
    return {top.radius + along * m_z, top.z - along * m_r, m_r, m_z, side, RimsPart::kSlope};
  const Rim<S>& rim = along > 0 ? bottom : top;
  const S d_r = r - rim.radius, d_z = z - rim.z, distance = norm_of(d_r, d_z);
  if (!(distance > 0)) return {rim.radius, rim.z, m_r, m_z, 0, RimsPart::kRim};
  return {rim.radius, rim.z, d_r / distance, d_z / distance, distance, RimsPart::kRim};
}

// The direction from the axis to q; along x for a point on the axis.
template <class S>
Vec3<S> azimuth_of(const Vec3<S>& q, S r) {
  return r > 0 ? Vec3<S>(q.x() / r, q.y() / r, 0) : Vec3<S>::UnitX();
}

template <class S>
Nearest<S> nearest_on_rims(const Rim<S>& top, const Rim<S>& bottom, const Vec3<S>& q) {
  const S r = norm_of(q.x(), q.y());
  const Vec3<S> e = azimuth_of(q, r);
  const OnMeridian<S> at = nearest_on_meridian(top, bottom, r, q.z());
  return {{at.r * e.x(), at.r * e.y(), at.z}, {at.n_r * e.x(), at.n_r * e.y(), at.n_z}, at.distance};
}

}  // namespace detail

// Of a point, segment, box, cylinder or cone.
template <class S>
Nearest<S> nearest(const Core<S>& core, const Vec3<S>& q) {
  using Kind = typename Core<S>::Kind;
  switch (core.kind()) {
    case Kind::kSegment:
      return detail::nearest_on_segment(core.size().z(), q);
    case Kind::kBox:
      return detail::nearest_on_box(core.size(), q);
    case Kind::kRims:
      return detail::nearest_on_rims(core.rim(0), core.rim(1), q);
    default:
      return detail::nearest_on_point(q);
  }
}

}  // namespace abut::witness
