#pragma once

#include "runtime/witness/difference.h"

namespace abut::witness {

// The point of a segment, triangle or tetrahedron that is closest to the origin.
template <class S>
struct ClosestPoint {
  Vec3<S> v;
  S weight[4];    // barycentric, in the order of the corners
  unsigned kept;  // bit k set: corner k carries weight; all four set: the origin is inside
};

template <class S>
ClosestPoint<S> closest_on_segment(const Vec3<S>& a, const Vec3<S>& b) {
  const Vec3<S> ab = b - a;
  const S s = -a.dot(ab), l2 = ab.squaredNorm();
  if (s <= 0) return {a, {1, 0, 0, 0}, 1};
  if (s >= l2) return {b, {0, 1, 0, 0}, 2};
  const S t = s / l2;
  Vec3<S> v = a + t * ab;
  // Make v orthogonal to the segment again: cancellation above leaves an error that matters if |v| is tiny.
  v -= (v.dot(ab) / l2) * ab;
  return {v, {1 - t, t, 0, 0}, 3};
}

// Tests the Voronoi regions of the triangle one after the other, as in Ericson, Real-Time Collision
// Detection (2005), 5.1.5, but with the areas as triple products: they keep their sign where the dot product
// form suffers from cancellation.
template <class S>
ClosestPoint<S> closest_on_triangle(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c) {
  const Vec3<S> ab = b - a, ac = c - a;
  const S d1 = -ab.dot(a), d2 = -ac.dot(a);
  if (d1 <= 0 && d2 <= 0) return {a, {1, 0, 0, 0}, 1};
  const S d3 = -ab.dot(b), d4 = -ac.dot(b);
  if (d3 >= 0 && d4 <= d3) return {b, {0, 1, 0, 0}, 2};
  const S d5 = -ab.dot(c), d6 = -ac.dot(c);
  if (d6 >= 0 && d5 <= d6) return {c, {0, 0, 1, 0}, 4};
  const Vec3<S> normal = ab.cross(ac);
  const S area_c = normal.dot(a.cross(ab));
  if (area_c <= 0 && d1 >= 0 && d3 <= 0) return closest_on_segment(a, b);
  const S area_b = normal.dot(ac.cross(a));
  if (area_b <= 0 && d2 >= 0 && d6 <= 0) {
    const ClosestPoint<S> on = closest_on_segment(a, c);
    return {on.v, {on.weight[0], 0, on.weight[1], 0}, (on.kept & 1) | (on.kept & 2) << 1};
  }
  const S area_a = normal.dot(b.cross(Vec3<S>(c - b)));
  if (area_a <= 0 && d4 >= d3 && d5 >= d6) {
    const ClosestPoint<S> on = closest_on_segment(b, c);
    return {on.v, {0, on.weight[0], on.weight[1], 0}, on.kept << 1};
  }
  const S sum = area_a + area_b + area_c;
  const Vec3<S> v = normal * (normal.dot(a) / normal.squaredNorm());
  return {v, {area_a / sum, area_b / sum, area_c / sum, 0}, 7};
}

// Corner 3 is the newest: the origin lies on its side of the triangle of the other three, which carried the
// previous closest point of GJK.
template <class S>
ClosestPoint<S> closest_on_tetrahedron(const Vec3<S>& w0, const Vec3<S>& w1, const Vec3<S>& w2,
                                       const Vec3<S>& w3) {
  const Vec3<S>* const w[4] = {&w0, &w1, &w2, &w3};
  static constexpr int kFace[3][4] = {
      {3, 0, 1, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}};  // corners, then the one opposite
  ClosestPoint<S> best{Vec3<S>::Zero(), {0, 0, 0, 0}, 15};
  S best_squared = std::numeric_limits<S>::infinity();
  for (const auto& face : kFace) {
    const Vec3<S>&a = *w[face[0]], &b = *w[face[1]], &c = *w[face[2]];
    const Vec3<S> normal = (b - a).cross(c - a);
    const S inner = normal.dot(*w[face[3]] - a), origin = -normal.dot(a);
    if (inner > 0 ? origin >= 0 : (inner < 0 && origin <= 0)) continue;  // a flat tetrahedron hides no face
    const ClosestPoint<S> on = closest_on_triangle(a, b, c);
    const S squared = on.v.squaredNorm();
    if (squared >= best_squared) continue;
    best_squared = squared;
    best = {on.v, {0, 0, 0, 0}, 0};
    for (int k = 0; k < 3; ++k) {
      best.weight[face[k]] = on.weight[k];
      best.kept |= (on.kept >> k & 1) << face[k];
    }
  }
  return best;
}

// Up to four vertices of the Minkowski difference with the barycentric weights of a point in their hull.
template <class S>
struct Simplex {
  int size = 0;
  DifferenceVertex<S> vertex[4];
  S weight[4];

  // Returns the point of the hull of the first `count` vertices that is closest to the origin.
  [[gnu::noinline]] ClosestPoint<S> closest(int count) const {
    switch (count) {
      case 1:
        return {vertex[0].w, {1, 0, 0, 0}, 1};
      case 2:
        return closest_on_segment(vertex[0].w, vertex[1].w);
      case 3:
        return closest_on_triangle(vertex[0].w, vertex[1].w, vertex[2].w);
      default:
        return closest_on_tetrahedron(vertex[0].w, vertex[1].w, vertex[2].w, vertex[3].w);
    }
  }

  // Reduces the simplex to the vertices that carry `closest`, a point of the first `count`.
  void keep(const ClosestPoint<S>& closest, int count) {
    size = 0;
    for (int k = 0; k < count; ++k) {
      if (!(closest.kept >> k & 1)) continue;
      if (size != k) vertex[size] = vertex[k];
      weight[size++] = closest.weight[k];
    }
  }

  // Reduces a tetrahedron without volume to its feature closest to the origin.
  void flatten() {
    ClosestPoint<S> best{};
    S best_squared = std::numeric_limits<S>::infinity();
    for (int skip = 0; skip < 4; ++skip) {
      const int a = (skip + 1) % 4, b = (skip + 2) % 4, c = (skip + 3) % 4;
      const ClosestPoint<S> on = closest_on_triangle(vertex[a].w, vertex[b].w, vertex[c].w);
      if (on.v.squaredNorm() >= best_squared) continue;
      best_squared = on.v.squaredNorm();
      best = {on.v, {0, 0, 0, 0}, (on.kept & 1) << a | (on.kept >> 1 & 1) << b | (on.kept >> 2 & 1) << c};
      best.weight[a] = on.weight[0];
      best.weight[b] = on.weight[1];
      best.weight[c] = on.weight[2];
    }
    keep(best, 4);
  }
};

}  // namespace abut::witness
