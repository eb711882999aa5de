#pragma once

#include "runtime/core/simd.h"
#include "runtime/witness/simplex.h"

// The step of GJK from one simplex to the next, in double precision, with all features computed in parallel.
namespace abut::witness {

// The point of a simplex closest to the origin, among the features that contain the newest corner.
struct NewestPoint {
  Vec3<double> v;
  bool inside;          // the origin is in the tetrahedron; the other members are not set
  double weight_p = 0;  // weights of the corners p and q; the newest has the rest
  double weight_q = 0;
  int p = 0, q = 0;
};

namespace detail {

struct FourVectors {
  simd::Four x, y, z;
};

ABUT_INLINE void cross(const FourVectors& a, const FourVectors& b, FourVectors& to) {
  to = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ABUT_INLINE void dot(const FourVectors& a, const FourVectors& b, simd::Four& to) {
  to = a.x * b.x + a.y * b.y + a.z * b.z;
}
// Lane k takes the value of lane k + 1 among the first three; the fourth lane repeats the first.
ABUT_INLINE void rotate(const FourVectors& a, FourVectors& to) {
  to = {__builtin_shufflevector(a.x, a.x, 1, 2, 0, 1), __builtin_shufflevector(a.y, a.y, 1, 2, 0, 1),
        __builtin_shufflevector(a.z, a.z, 1, 2, 0, 1)};
}

}  // namespace detail

// Computes the closest point for `count` = 2 to 4 corners, the last of which is the newest. The newest
// corner lies beyond the old simplex as seen from the old closest point, and so has weight in the new one:
// the closest point is on one of the up to three edges from the newest corner, or on a triangle between
// them. All of these are computed without branches that could be mispredicted; with fewer than four corners
// some are computed twice.
ABUT_INLINE void closest_with_newest(const DifferenceVertex<double>* corner, int count, NewestPoint& result) {
  using simd::Four;
  const int place[3] = {0, count > 2 ? 1 : 0, count > 3 ? 2 : 0};
  const Vec3<double>&a = corner[0].w, &b = corner[place[1]].w, &c = corner[place[2]].w,
        &newest = corner[count - 1].w;
  const double x = newest.x(), y = newest.y(), z = newest.z();
  const detail::FourVectors w{Four{} + x, Four{} + y, Four{} + z};
  const detail::FourVectors P{Four{a.x(), b.x(), c.x(), a.x()} - x, Four{a.y(), b.y(), c.y(), a.y()} - y,
                              Four{a.z(), b.z(), c.z(), a.z()} - z};
  detail::FourVectors Q, R, n, Pw, Qw;  // lane k: edges k, k + 1, k + 2; n: normal of k, k + 1
  detail::rotate(P, Q);
  detail::rotate(Q, R);
  detail::cross(P, Q, n);
  detail::cross(P, w, Pw);
  detail::rotate(Pw, Qw);
  const Four none{}, all = none + 1;

  Four nw, volume;
  detail::dot(n, w, nw);
  detail::dot(n, R, volume);
  const simd::FourBits hides = ((volume > none) & (nw <= none)) | ((volume < none) & (nw >= none));
  result.inside = count == 4 && (hides[0] & hides[1] & hides[2]) != 0;

  // If the origin's projection is inside the triangle: its coordinates along P and Q.
  Four at_p, at_q, n2;
  detail::dot(n, Qw, at_p);
  detail::dot(n, Pw, at_q);
  detail::dot(n, n, n2);
  const Four scale = all / n2;
  at_p = at_p * scale;
  at_q = -at_q * scale;
  const Four step = nw * scale;
  const simd::FourBits over = (at_p > none) & (at_q > none);

  // The nearest point of the edge.
  Four l2, reach, off;
  detail::dot(P, P, l2);
  detail::dot(P, w, reach);
  const Four per_length = all / l2;
  Four t = -reach * per_length;
  t = t > none ? t : none;  // also where it is NaN
  t = t < all ? t : all;
  detail::FourVectors v{w.x + t * P.x, w.y + t * P.y, w.z + t * P.z};
  // Make v orthogonal to the edge again, as in closest_on_segment().
  detail::dot(v, P, off);
  const simd::FourBits between = (t > none) & (t < all);
  off = between ? off * per_length : none;
  v = {v.x - off * P.x, v.y - off * P.y, v.z - off * P.z};

  Four squared;
  detail::dot(v, v, squared);
  const simd::FourBits on_triangle = over & (nw * step < squared);
  squared = on_triangle ? nw * step : squared;
  int k = squared[1] < squared[0] ? 1 : 0;
  k = squared[2] < (k == 1 ? squared[1] : squared[0]) ? 2 : k;
  v = {on_triangle ? n.x * step : v.x, on_triangle ? n.y * step : v.y, on_triangle ? n.z * step : v.z};
  at_p = on_triangle ? at_p : t;
  at_q = on_triangle ? at_q : none;
  result.v = {v.x[k], v.y[k], v.z[k]};
  result.weight_p = at_p[k];
  result.weight_q = at_q[k];
  result.p = place[k];
  result.q = place[k == 2 ? 0 : k + 1];
}

// Reduces the simplex to the corners that carry `point`; `count` as above.
inline void keep(const NewestPoint& point, int count, Simplex<double>& simplex) {
  const int last = count - 1;
  const bool turned = point.p > point.q;
  const int low = turned ? point.q : point.p, high = turned ? point.p : point.q;
  const bool edge = point.weight_p > 0, triangle = point.weight_q > 0;
  const double rest = 1 - point.weight_p - point.weight_q;
  const int from[2] = {triangle ? low : edge ? point.p : last, triangle ? high : last};
  for (int i = 0; i < 2; ++i) simplex.vertex[i] = simplex.vertex[from[i]];
  simplex.vertex[2] = simplex.vertex[last];
  simplex.weight[0] = triangle ? (turned ? point.weight_q : point.weight_p) : edge ? point.weight_p : rest;
  simplex.weight[1] = triangle ? (turned ? point.weight_p : point.weight_q) : rest;
  simplex.weight[2] = rest;
  simplex.size = 1 + edge + triangle;
}

}  // namespace abut::witness
