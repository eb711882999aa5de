#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/math/pose.h"

namespace abut::distance {

// The part of a triangle that a point lies on. Edge k joins the corners k and k + 1 (modulo 3).
enum class Feature : std::uint8_t { kFace, kEdge0, kEdge1, kEdge2, kVertex0, kVertex1, kVertex2 };

// The point of a triangle closest to a query point.
template <class S>
struct TrianglePoint {
  Vec3<S> closest;                                   // on the triangle, m
  Vec3<S> residual;                                  // query point less closest point, m
  S distance2 = std::numeric_limits<S>::infinity();  // squared length of the residual, m^2
  Feature feature = Feature::kFace;                  // the feature that has the closest point
};

namespace internal {

// Replaces `best` by the closest point of edge `index` from a to b if that is nearer; pa, pb: vectors from a
// and from b to the query point. Coordinates are computed from the nearer end, so that the residual keeps
// its digits.
template <class S>
void closest_on_edge(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& pa, const Vec3<S>& pb, int index,
                     TrianglePoint<S>& best) {
  const Vec3<S> edge = b - a;
  const S along = pa.dot(edge), back = -pb.dot(edge);  // along + back = |edge|^2
  TrianglePoint<S> candidate;
  if (!(along > S(0))) {
    candidate = {a, pa, pa.squaredNorm(), Feature(int(Feature::kVertex0) + index)};
  } else if (!(back > S(0))) {
    candidate = {b, pb, pb.squaredNorm(), Feature(int(Feature::kVertex0) + (index + 1) % 3)};
  } else {
    const S length2 = edge.squaredNorm();
    const Vec3<S> offset = along < back ? Vec3<S>(along / length2 * edge) : Vec3<S>(-back / length2 * edge);
    const Vec3<S> residual = (along < back ? pa : pb) - offset;
    candidate = {(along < back ? a : b) + offset, residual, residual.squaredNorm(),
                 Feature(int(Feature::kEdge0) + index)};
  }
  if (candidate.distance2 < best.distance2) best = candidate;
}

}  // namespace internal

// Closest point of the triangle a, b, c to the point p (m). The result is a point of the triangle whatever
// its shape: for a needle or a collapsed triangle, whose plane is lost in rounding, the edges decide. NaN in
// the input gives an infinite distance.
template <class S>
TrianglePoint<S> closest_on_triangle(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c, const Vec3<S>& p) {
  using std::sqrt;
  const Vec3<S> ab = b - a, ac = c - a, pa = p - a;
  const Vec3<S> normal = ab.cross(ac);
  const S area2 = normal.squaredNorm();
  // Barycentric coordinates of the projection, times `area2`. Cross products lose digits in proportion to
  // one over the sine of the angle at a; dot products (the Gram matrix) would in proportion to its square.
  const S weight_b = normal.dot(pa.cross(ac)), weight_c = normal.dot(ab.cross(pa));
  const S weight_a = area2 - weight_b - weight_c;
  // Below this sine the plane is too inexact, and the edges are examined as well.
  const bool thin = !(area2 > sqrt(std::numeric_limits<S>::epsilon()) * ab.squaredNorm() * ac.squaredNorm());

  TrianglePoint<S> best;
  const bool inside = weight_a > S(0) && weight_b > S(0) && weight_c > S(0);
  if (inside) {
    Vec3<S> offset = weight_b / area2 * ab + weight_c / area2 * ac;
    // One step of refinement: the weights' errors, up to epsilon over the sine, shrink with the residual.
    const Vec3<S> rest = pa - offset;
    offset += normal.dot(rest.cross(ac)) / area2 * ab + normal.dot(ab.cross(rest)) / area2 * ac;
    best.closest = a + offset;
    best.residual = pa - offset;
    best.distance2 = best.residual.squaredNorm();
    if (!thin) return best;
  }
  // The closest point lies on an edge whose far corner has a weight that is not positive.
  const Vec3<S> pb = p - b, pc = p - c;
  if (thin || !(weight_c > S(0))) internal::closest_on_edge(a, b, pa, pb, 0, best);
  if (thin || !(weight_a > S(0))) internal::closest_on_edge(b, c, pb, pc, 1, best);
  if (thin || !(weight_b > S(0))) internal::closest_on_edge(c, a, pc, pa, 2, best);
  return best;
}

}  // namespace abut::distance
