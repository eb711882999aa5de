#pragma once

#include "runtime/witness/core.h"

// Nearest point of a core's surface to a given point, in closed form; everything in the core's frame, m.
namespace abut::witness {

template <class S>
struct Nearest {
  Vec3<S> x;   // on the surface
  Vec3<S> n;   // outward unit normal there: q = x + distance n
  S distance;  // signed, negative inside
};

namespace detail {

template <class S>
Nearest<S> nearest_on_point(const Vec3<S>& q) {
  const S length = q.norm();
  if (!(length > 0)) return {q, Vec3<S>::UnitX(), 0};
  return {Vec3<S>::Zero(), q / length, length};
}

// For a point on the segment all normals orthogonal to it are equally valid.
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

// Meridian of the side surface between two rims, in the half-plane of the axis and a point: its outward
// normal (components away from the axis and upwards), and its length, m. Requires top.radius <=
// bottom.radius.
template <class S>
struct Slope {
  S n_r, n_z, length;
};

template <class S>
Slope<S> slope_of(const Core<S>& core) {
  const Rim<S> top = core.rim(0), bottom = core.rim(1);
  const S run = bottom.radius - top.radius, fall = top.z - bottom.z, length = length_of(run, fall);
  return {fall / length, run / length, length};
}

enum class RimsPart : std::uint8_t { kTop, kBottom, kSlope, kRim, kInside };

// Point of the hull of two rims nearest to a point of that half-plane: distance from the axis and height, m.
// A point inside is its own nearest point.
template <class S>
struct OnMeridian {
  RimsPart part;
  S r, z;
};

template <class S>
OnMeridian<S> project_on_meridian(const Rim<S>& top, const Rim<S>& bottom, const Slope<S>& slope, S r, S z) {
  if (z >= top.z && r <= top.radius) return {RimsPart::kTop, r, top.z};
  if (z <= bottom.z && r <= bottom.radius) return {RimsPart::kBottom, r, bottom.z};
  const S d_r = r - top.radius, d_z = z - top.z;
  if (d_r * slope.n_r + d_z * slope.n_z <= 0 && d_z <= 0 && z >= bottom.z) return {RimsPart::kInside, r, z};
  const S down = d_r * slope.n_z - d_z * slope.n_r;
  if (down <= 0) return {RimsPart::kRim, top.radius, top.z};
  if (down >= slope.length) return {RimsPart::kRim, bottom.radius, bottom.z};
  return {RimsPart::kSlope, top.radius + down * slope.n_z, top.z - down * slope.n_r};
}

// Unit direction from the axis to q; along x if q is on the axis.
template <class S>
Vec3<S> azimuth_of(const Vec3<S>& q, S r) {
  return r > 0 ? Vec3<S>(q.x() / r, q.y() / r, 0) : Vec3<S>::UnitX();
}

// Nearest point on the top, bottom or slope for a point inside.
template <class S>
Nearest<S> out_of_rims(const Core<S>& core, const Slope<S>& slope, const Vec3<S>& q, const Vec3<S>& e, S r) {
  const Rim<S> top = core.rim(0);
  const S above = q.z() - top.z, below = core.rim(1).z - q.z();
  const S side = (r - top.radius) * slope.n_r + above * slope.n_z;
  const bool by_side = side >= above && side >= below;
  const S distance = by_side ? side : std::max(above, below);
  const Vec3<S> n = by_side ? Vec3<S>(slope.n_r * e.x(), slope.n_r * e.y(), slope.n_z)
                            : Vec3<S>(0, 0, above >= below ? S(1) : S(-1));
  return {q - distance * n, n, distance};
}

template <class S>
Nearest<S> nearest_on_rims(const Core<S>& core, const Vec3<S>& q) {
  const Slope<S> slope = slope_of(core);
  const S r = length_of(q.x(), q.y());
  const Vec3<S> e = azimuth_of(q, r);
  const OnMeridian<S> at = project_on_meridian(core.rim(0), core.rim(1), slope, r, q.z());
  if (at.part == RimsPart::kInside) return out_of_rims(core, slope, q, e, r);
  const Vec3<S> side(slope.n_r * e.x(), slope.n_r * e.y(), slope.n_z);
  const Vec3<S> x(at.r * e.x(), at.r * e.y(), at.z);
  const S d_r = r - at.r, d_z = q.z() - at.z;
  // The direction of a short vector to the slope is lost in rounding; the slope's normal is exact.
  if (at.part == RimsPart::kSlope) return {x, side, d_r * slope.n_r + d_z * slope.n_z};
  const S distance = length_of(d_r, d_z);
  if (!(distance > 0)) return {x, side, 0};
  return {x, {d_r / distance * e.x(), d_r / distance * e.y(), d_z / distance}, distance};
}

}  // namespace detail

// Nearest surface point of a point, segment, box, cylinder or cone.
template <class S>
Nearest<S> nearest(const Core<S>& core, const Vec3<S>& q) {
  using Kind = typename Core<S>::Kind;
  switch (core.kind()) {
    case Kind::kSegment:
      return detail::nearest_on_segment(core.size().z(), q);
    case Kind::kBox:
      return detail::nearest_on_box(core.size(), q);
    case Kind::kRims:
      return detail::nearest_on_rims(core, q);
    default:
      return detail::nearest_on_point(q);
  }
}

}  // namespace abut::witness
