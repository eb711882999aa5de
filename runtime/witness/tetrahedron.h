#pragma once

#include "runtime/witness/difference.h"

namespace abut::witness {

// Four vertices of the Minkowski difference that span a volume; or, if `flat`, the finding that there are
// none.
template <class S>
struct Tetrahedron {
  DifferenceVertex<S> corner[4];
  bool flat;       // the difference is a point, a segment or a planar set within rounding
  Vec3<S> normal;  // if flat: a unit vector orthogonal to it
};

// Unit vector orthogonal to the vector e, which is not zero.
template <class S>
Vec3<S> any_orthogonal(const Vec3<S>& e) {
  return e.unitOrthogonal();
}

// Whether four points span a volume far above rounding.
template <class S>
bool spans_volume(const DifferenceVertex<S>* p) {
  const Vec3<S> e1 = p[1].w - p[0].w, e2 = p[2].w - p[0].w, e3 = p[3].w - p[0].w;
  const S l2 = std::max({e1.squaredNorm(), e2.squaredNorm(), e3.squaredNorm()});
  return std::abs(e1.cross(e2).dot(e3)) > 4096 * std::numeric_limits<S>::epsilon() * l2 * std::sqrt(l2);
}

namespace detail {

// Returns, of the vertices of D lowest along n and along -n, the one farther from `origin` along n.
template <class S, class D>
DifferenceVertex<S> farther_of_two(D& difference, const Vec3<S>& n, const Vec3<S>& origin) {
  const DifferenceVertex<S> low = difference.minimise(n), high = difference.minimise(-n);
  return n.dot(high.w - origin) >= n.dot(origin - low.w) ? high : low;
}

}  // namespace detail

// Builds a tetrahedron from the farthest pair along the coordinate axes, the vertex farthest from their
// line, and the vertex farthest from the plane of these three. The origin need not be inside: epa.h expands
// towards it.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Tetrahedron<S> span_tetrahedron(D& difference) {
  Tetrahedron<S> t;
  S extent = -1;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3<S> n = Vec3<S>::Unit(axis);
    const DifferenceVertex<S> low = difference.minimise(n), high = difference.minimise(-n);
    if (high.w[axis] - low.w[axis] <= extent) continue;
    extent = high.w[axis] - low.w[axis];
    t.corner[0] = low;
    t.corner[1] = high;
  }
  t.flat = true;
  t.normal = Vec3<S>::UnitX();
  if (extent <= difference.rounding()) return t;
  const Vec3<S>& origin = t.corner[0].w;
  const Vec3<S> axis = (t.corner[1].w - origin).normalized();
  const Vec3<S> u = any_orthogonal(axis);
  S width = 0;
  for (const Vec3<S>& n : {u, Vec3<S>(axis.cross(u))}) {
    const DifferenceVertex<S> found = detail::farther_of_two(difference, n, origin);
    const S distance = axis.cross(found.w - origin).norm();
    if (distance < width) continue;
    width = distance;
    t.corner[2] = found;
  }
  t.normal = u;
  if (width <= difference.rounding()) return t;
  t.normal = axis.cross(t.corner[2].w - origin).normalized();
  t.corner[3] = detail::farther_of_two(difference, t.normal, origin);
  t.flat = std::abs(t.normal.dot(t.corner[3].w - origin)) <= difference.rounding();
  return t;
}

}  // namespace abut::witness
