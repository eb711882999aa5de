#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/core/simd.h"
#include "runtime/math/pose.h"

// Closest points of two triangles: over the nine pairs of edges and the six pairs of corner and face.
//
//   const auto pair = distance::closest_of_triangles<double>(a, b);     // a, b: std::array<Vec3<double>, 3>
namespace abut::distance {

// A triangle by its corners, m.
template <class S>
using Triangle = std::array<Vec3<S>, 3>;

// Closest points of two triangles, in the frame that both are given in.
template <class S>
struct TrianglePair {
  Vec3<S> on_A, on_B;                                // m
  S distance2 = std::numeric_limits<S>::infinity();  // m^2; 0 where the triangles cross
  Vec3<S> weight_A, weight_B;  // barycentric, exactly 0 for corners that do not carry the point
  bool crossing = false;       // an edge of one passes through the other
};

namespace internal {

// A 3-vector of numbers, or of lanes (several 3-vectors at once).
template <class T>
struct Lanes3 {
  T x, y, z;
};
template <class T>
ABUT_INLINE Lanes3<T> operator-(const Lanes3<T>& a, const Lanes3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
ABUT_INLINE Lanes3<T> operator+(const Lanes3<T>& a, const Lanes3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
ABUT_INLINE Lanes3<T> operator*(const T& s, const Lanes3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
ABUT_INLINE T dot(const Lanes3<T>& a, const Lanes3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
ABUT_INLINE Lanes3<T> cross(const Lanes3<T>& a, const Lanes3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// 1 / x, or 0 where x is not positive, as for edges and triangles that have collapsed.
template <class T>
ABUT_INLINE T inverse_or_zero(const T& x) {
  const T zero{}, one = zero + 1;
  return x > zero ? one / x : zero;
}
template <class T>
ABUT_INLINE T unit_interval(const T& x) {
  const T zero{}, one = zero + 1;
  const T low = x > zero ? x : zero;
  return low < one ? low : one;
}

// Closest points a + s u and b + t v of two edges, r = b - a: s from the infinite lines, then t for that s
// and s for that t, each clamped to its edge [Ericson2005, 5.1.9]. With n = u x v the lines' s is (r x v) .
// n / n . n. It loses digits in proportion to one over the sine of the angle between the edges; the distance
// loses none.
template <class T>
struct EdgeEdge {
  T s, t, distance2;
};
template <class T>
ABUT_INLINE EdgeEdge<T> closest_of_edges(const Lanes3<T>& r, const Lanes3<T>& u, const Lanes3<T>& v,
                                         const T& over_uu, const T& over_vv) {
  const Lanes3<T> n = cross(u, v);
  const T uv = dot(u, v), ru = dot(r, u), rv = dot(r, v);
  const T line = unit_interval<T>(dot(cross(r, v), n) * inverse_or_zero<T>(dot(n, n)));
  const T t = unit_interval<T>((line * uv - rv) * over_vv);
  const T s = unit_interval<T>((ru + t * uv) * over_uu);
  const Lanes3<T> gap = (r + t * v) - s * u;
  return {s, t, dot(gap, gap)};
}

// Precomputed quantities of a triangle, or of one triangle per lane.
template <class T>
struct TriangleLanes {
  Lanes3<T> corner[3], edge[3];
  T over_square[3];            // 1 / |edge|^2
  Lanes3<T> normal;            // edge 0 x (corner 2 - corner 0)
  Lanes3<T> along_1, along_2;  // r . along_k / |normal|^2: the weight of corner k at corner 0 + r
  T over_area2;                // 1 / |normal|^2
};
template <class T>
ABUT_INLINE TriangleLanes<T> triangle_lanes(const Lanes3<T>& a, const Lanes3<T>& b, const Lanes3<T>& c) {
  TriangleLanes<T> t{{a, b, c}, {b - a, c - b, a - c}, {}, {}, {}, {}, {}};
  for (int k = 0; k < 3; ++k) t.over_square[k] = inverse_or_zero<T>(dot(t.edge[k], t.edge[k]));
  const Lanes3<T> ac = c - a;
  t.normal = cross(t.edge[0], ac);
  t.along_1 = cross(ac, t.normal);
  t.along_2 = cross(t.normal, t.edge[0]);
  t.over_area2 = inverse_or_zero<T>(dot(t.normal, t.normal));
  return t;
}

// A corner's projection on a face: the weights of the face's corners 1 and 2; `distance2` is infinite if the
// projection is outside the face; `height` is scaled by the length of the face's normal.
template <class T>
struct CornerFace {
  T weight_1, weight_2, distance2, height;
};
template <class T>
ABUT_INLINE CornerFace<T> corner_on_face(const Lanes3<T>& corner, const TriangleLanes<T>& face) {
  const T zero{}, one = zero + 1, infinite = zero + std::numeric_limits<double>::infinity();
  const Lanes3<T> r = corner - face.corner[0];
  const T w1 = dot(r, face.along_1) * face.over_area2, w2 = dot(r, face.along_2) * face.over_area2;
  const Lanes3<T> gap = (r - w1 * face.edge[0]) + w2 * face.edge[2];
  const T w0 = (one - w1) - w2;
  T d2 = dot(gap, gap);
  d2 = w1 > zero ? d2 : infinite;
  d2 = w2 > zero ? d2 : infinite;
  d2 = w0 > zero ? d2 : infinite;
  return {w1, w2, d2, dot(r, face.normal)};
}

// Visits the candidates for the closest points of two triangles that do not cross, lane by lane: calls
// `edges(i, j, EdgeEdge)` for edge i of a and edge j of b, and `corner(k, of_A, CornerFace)` for corner k of
// a (of_A) or of b and the face of the other.
template <class T, class EdgePair, class Corner>
ABUT_INLINE void visit_features(const TriangleLanes<T>& a, const TriangleLanes<T>& b, EdgePair&& edges,
                                Corner&& corner) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      edges(i, j,
            closest_of_edges<T>(b.corner[j] - a.corner[i], a.edge[i], b.edge[j], a.over_square[i],
                                b.over_square[j]));
  for (int i = 0; i < 3; ++i) corner(i, true, corner_on_face<T>(a.corner[i], b));
  for (int j = 0; j < 3; ++j) corner(j, false, corner_on_face<T>(b.corner[j], a));
}

template <class S>
Lanes3<S> lanes(const Vec3<S>& v) {
  return {v.x(), v.y(), v.z()};
}
template <class S>
TriangleLanes<S> lanes(const Triangle<S>& t) {
  return triangle_lanes<S>(lanes(t[0]), lanes(t[1]), lanes(t[2]));
}

template <class S>
Vec3<S> at(const Triangle<S>& t, const Vec3<S>& w) {  // from the corner of largest weight, to keep digits
  int k;
  w.maxCoeff(&k);
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  return t[k] + (w[i] * (t[i] - t[k]) + w[j] * (t[j] - t[k]));
}

// Bound on the rounding error of the difference of two points with such coordinates, m.
template <class S>
S rounding_of(const Triangle<S>& a, const Triangle<S>& b) {
  S largest = 0;
  for (int k = 0; k < 3; ++k)
    largest = std::max({largest, a[k].cwiseAbs().maxCoeff(), b[k].cwiseAbs().maxCoeff()});
  return 64 * std::numeric_limits<S>::epsilon() * largest;
}

// Whether the edge p, q passes through a triangle: its ends are on both sides of the plane, with heights
// that differ by more than `rounding` (m), and it passes on the same side of all three edges. x: the
// crossing point as a fraction of the edge; w: barycentric weights of the crossing point in the triangle.
template <class S>
bool edge_through(const Vec3<S>& p, const Vec3<S>& q, const Triangle<S>& t, S rounding, S& x, Vec3<S>& w) {
  const Vec3<S> normal = (t[1] - t[0]).cross(t[2] - t[0]);
  const S above = normal.dot(p - t[0]), below = normal.dot(q - t[0]);
  if (!((above >= 0 && below < 0) || (above < 0 && below >= 0))) return false;
  if (!(std::max(above, -above) + std::max(below, -below) > rounding * normal.norm())) return false;
  const Vec3<S> d = q - p;
  for (int k = 0; k < 3; ++k) w[k] = d.dot((t[(k + 1) % 3] - p).cross(t[(k + 2) % 3] - p));
  if (!((w.array() >= 0).all() || (w.array() <= 0).all())) return false;
  const S sum = w.sum();
  if (sum == 0) return false;
  w /= sum;
  x = above / (above - below);
  return true;
}

// Finds the crossing point of two triangles; false if they do not cross. If they are so nearly parallel that
// it cannot be found to rounding, returns false with the weights and squared distance of two points near it.
template <class S>
bool crossing_point(const Triangle<S>& a, const Triangle<S>& b, TrianglePair<S>& result) {
  const S rounding = rounding_of(a, b);
  for (int k = 0; k < 6; ++k) {
    const bool of_A = k < 3;
    const Triangle<S>&edges = of_A ? a : b, &face = of_A ? b : a;
    S x;
    Vec3<S> w;
    if (!edge_through<S>(edges[k % 3], edges[(k + 1) % 3], face, rounding, x, w)) continue;
    Vec3<S> along = Vec3<S>::Zero();
    along[k % 3] = 1 - x;
    along[(k + 1) % 3] = x;
    const Vec3<S> on_edge = edges[k % 3] + x * (edges[(k + 1) % 3] - edges[k % 3]);
    const S distance2 = (at(face, w) - on_edge).squaredNorm();
    if (!(distance2 < result.distance2)) continue;
    result.weight_A = of_A ? along : w;
    result.weight_B = of_A ? w : along;
    result.distance2 = distance2;
    if (!(distance2 <= rounding * rounding)) continue;
    result.on_A = result.on_B = on_edge;
    result.distance2 = 0;
    return result.crossing = true;
  }
  return false;
}

}  // namespace internal

// Closest points of two triangles of any shape, collapsed ones included. S: double or long double.
template <class S>
TrianglePair<S> closest_of_triangles(const Triangle<S>& a, const Triangle<S>& b) {
  using internal::at;
  TrianglePair<S> best;
  if (internal::crossing_point(a, b, best)) return best;
  const auto put = [](Vec3<S>& w, int k, S x) {
    w.setZero();
    w[k] = 1 - x;
    w[(k + 1) % 3] = x;
  };
  internal::visit_features<S>(
      internal::lanes(a), internal::lanes(b),
      [&](int i, int j, const internal::EdgeEdge<S>& edges) {
        if (!(edges.distance2 < best.distance2)) return;
        best.distance2 = edges.distance2;
        put(best.weight_A, i, edges.s);
        put(best.weight_B, j, edges.t);
      },
      [&](int k, bool of_A, const internal::CornerFace<S>& found) {
        if (!(found.distance2 < best.distance2)) return;
        best.distance2 = found.distance2;
        (of_A ? best.weight_A : best.weight_B) = Vec3<S>::Unit(k);
        (of_A ? best.weight_B : best.weight_A) = {1 - found.weight_1 - found.weight_2, found.weight_1,
                                                  found.weight_2};
      });
  best.on_A = at(a, best.weight_A);
  best.on_B = at(b, best.weight_B);
  best.distance2 = (best.on_B - best.on_A).squaredNorm();
  return best;
}

}  // namespace abut::distance
