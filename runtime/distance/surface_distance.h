#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "runtime/asset/asset.h"
#include "runtime/bvh/traversal.h"
#include "runtime/core/status.h"
#include "runtime/distance/triangle_point.h"
#include "runtime/math/pose.h"

// Exact distance, closest point and sign of a closed surface at a point: the reference for all soft
// distances.
namespace abut::distance {

// Signed distance of a surface at a point Q, everything in the surface's frame.
template <class S>
struct SurfaceDistance {
  S distance;             // m, negative inside
  Vec3<S> closest;        // point of the surface closest to Q, m
  Vec3<S> gradient;       // unit, outward, with respect to Q; on an edge or vertex itself the pseudonormal
  std::int32_t triangle;  // triangle of the closest point; -1: none
  Feature feature;        // face, edge or vertex of that triangle
  Status status;          // kOk; kTouching: Q is on the surface; kInvalidInput: NaN in every number
};

namespace internal {

template <class S>
Vec3<S> corner(const asset::SurfaceView& surface, std::int32_t triangle, int k) {
  const double* v =
      surface.vertices + std::ptrdiff_t(3) * surface.triangles[std::ptrdiff_t(3) * triangle + k];
  return {S(v[0]), S(v[1]), S(v[2])};
}

template <class S>
std::array<Vec3<S>, 3> triangle_of(const asset::SurfaceView& surface, std::int32_t triangle) {
  return {corner<S>(surface, triangle, 0), corner<S>(surface, triangle, 1), corner<S>(surface, triangle, 2)};
}

// Unit normal of a triangle; zero for a triangle without area.
template <class S>
Vec3<S> face_normal(const asset::SurfaceView& surface, std::int32_t triangle) {
  const Vec3<S> a = corner<S>(surface, triangle, 0);
  return (corner<S>(surface, triangle, 1) - a).cross(corner<S>(surface, triangle, 2) - a).normalized();
}

// Calls take(t, k) for each triangle t about corner k of `triangle`; k is the index of that corner in t.
template <class Take>
void visit_fan(const asset::SurfaceView& surface, std::int32_t triangle, int k, Take&& take) {
  const std::int32_t vertex = surface.triangles[std::ptrdiff_t(3) * triangle + k];
  std::int32_t t = triangle;
  for (std::int32_t i = 0; i < surface.triangle_count; ++i) {
    take(t, k);
    t = surface.neighbours[std::ptrdiff_t(3) * t + k];
    if (t == triangle || t < 0) return;
    for (k = 0; k < 2 && surface.triangles[std::ptrdiff_t(3) * t + k] != vertex; ++k) {
    }
  }
}

// Angle-weighted pseudonormal of a feature, not normalised. The sign of its product with the vector from the
// feature to a point whose closest feature it is separates inside from outside [Baerentzen2005].
template <class S>
Vec3<S> pseudonormal(const asset::SurfaceView& surface, std::int32_t triangle, Feature feature) {
  if (feature == Feature::kFace) return face_normal<S>(surface, triangle);
  if (feature < Feature::kVertex0) {
    const std::int32_t across =
        surface.neighbours[std::ptrdiff_t(3) * triangle + (int(feature) - int(Feature::kEdge0))];
    return face_normal<S>(surface, triangle) + face_normal<S>(surface, across);
  }
  const int k = int(feature) - int(Feature::kVertex0);
  const double* n =
      surface.vertex_normals + std::ptrdiff_t(3) * surface.triangles[std::ptrdiff_t(3) * triangle + k];
  return {S(n[0]), S(n[1]), S(n[2])};
}

// Whether the height of a triangle is large enough for its normal to survive the rounding of its corners.
template <class S>
bool has_normal(const asset::SurfaceView& surface, std::int32_t triangle) {
  constexpr double kRoundings = 16;  // rounding errors that the height must exceed
  const Vec3<S> a = corner<S>(surface, triangle, 0);
  const Vec3<S> ab = corner<S>(surface, triangle, 1) - a, ac = corner<S>(surface, triangle, 2) - a;
  const S base2 = ab.squaredNorm() + ac.squaredNorm();
  const S lost = S(kRoundings * std::numeric_limits<double>::epsilon());
  return ab.cross(ac).squaredNorm() > lost * lost * base2 * (a.squaredNorm() + base2);
}

// Whether all triangles around a feature have normals, so that its pseudonormal can separate inside from
// outside.
template <class S>
bool has_pseudonormal(const asset::SurfaceView& surface, std::int32_t triangle, Feature feature) {
  if (!has_normal<S>(surface, triangle)) return false;
  if (feature == Feature::kFace) return true;
  const std::int32_t *corners = surface.triangles, *neighbours = surface.neighbours;
  const bool edge = feature < Feature::kVertex0;
  std::ptrdiff_t k = int(feature) - int(edge ? Feature::kEdge0 : Feature::kVertex0);
  const std::int32_t vertex = corners[std::ptrdiff_t(3) * triangle + k];
  std::int32_t t = neighbours[std::ptrdiff_t(3) * triangle + k];
  for (std::int32_t seen = 1; t != triangle; t = neighbours[std::ptrdiff_t(3) * t + k]) {
    if (!has_normal<S>(surface, t) || ++seen > surface.triangle_count) return false;
    if (edge) return true;
    for (k = 0; k < 2 && corners[std::ptrdiff_t(3) * t + k] != vertex;) ++k;
  }
  return true;
}

// Whether the surface winds around p: winding number from the solid angles of all triangles, of any shape
// [VanOosterom1983].
template <class S>
[[gnu::noinline, gnu::cold]] bool winds_around(const asset::SurfaceView& surface, const Vec3<S>& p) {
  using std::atan2;
  S half = S(0);  // half the sum of the solid angles: 2 pi inside
  for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
    const Vec3<S> a = corner<S>(surface, t, 0) - p, b = corner<S>(surface, t, 1) - p,
                  c = corner<S>(surface, t, 2) - p;
    const S la = a.norm(), lb = b.norm(), lc = c.norm();
    half += atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return half > S(3);
}

// Whether p is on the inner side of its nearest feature, whose pseudonormal is `normal`; `away` is the
// vector from the feature to p. Uses the winding number where the pseudonormal is lost in rounding.
template <class S>
bool on_inner_side(const asset::SurfaceView& surface, std::int32_t triangle, Feature feature,
                   const Vec3<S>& normal, const Vec3<S>& p, const Vec3<S>& away) {
  return has_pseudonormal<S>(surface, triangle, feature) ? away.dot(normal) < S(0)
                                                         : winds_around<S>(surface, p);
}

// Whether p is outside the bounding box of the whole tree, and so outside the surface. From far away,
// features that are not nearest appear as near within rounding, and their pseudonormals give no reliable
// sign.
template <class S>
bool outside_box(const bvh::TreeView& tree, const Vec3<S>& p) {
  for (int k = 0; k < 3; ++k) {
    bool below = true, above = true;
    for (int c = 0; c < bvh::kWidth; ++c) {
      if (tree.counts[c] < 0) continue;
      below = below && p[k] < S(tree.bounds[k * bvh::kWidth + c]);
      above = above && p[k] > S(tree.bounds[(3 + k) * bvh::kWidth + c]);
    }
    if (below || above) return true;
  }
  return false;
}

template <class S>
SurfaceDistance<S> invalid_distance() {
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const Vec3<S> nans = Vec3<S>::Constant(nan);
  return {nan, nans, nans, -1, Feature::kFace, Status::kInvalidInput};
}

// Returns the unit gradient: the normalised pseudonormal where the residual is lost in rounding, differs
// from it by no more than rounding or, on a face, is less exact; otherwise the direction of the residual.
template <class S>
Vec3<S> gradient(const asset::SurfaceView& surface, std::int32_t triangle, const TrianglePoint<S>& nearest,
                 const Vec3<S>& normal, S distance, S sign) {
  const Vec3<S> a = corner<S>(surface, triangle, 0);
  const Vec3<S> ab = corner<S>(surface, triangle, 1) - a, ac = corner<S>(surface, triangle, 2) - a;
  // Rounding turns the residual by about epsilon * reach / distance, and a face's normal by epsilon over the
  // sine of the angle between its edges.
  const S reach = (nearest.closest - a).norm() + ab.norm() + ac.norm();
  const bool face = nearest.feature == Feature::kFace;
  const S rounding = S(16) * std::numeric_limits<S>::epsilon() * reach;
  const bool residual_is_better =
      face ? distance * ab.norm() * ac.norm() > reach * ab.cross(ac).norm()
           : distance > S(4) * rounding &&
                 (nearest.residual * sign - distance * normal.normalized()).norm() > rounding;
  return residual_is_better ? Vec3<S>(nearest.residual * (sign / distance)) : normal.normalized();
}

}  // namespace internal

// Returns the triangle nearest to the point p_Q and writes its closest point to `nearest`; returns -1 if no
// triangle is within `reach` (m).
template <class S>
std::int32_t nearest_triangle(const asset::SurfaceView& surface, const Vec3<S>& p_Q, S reach,
                              TrianglePoint<S>& nearest) {
  std::int32_t triangle = -1;
  S bound = reach * reach;
  bvh::visit_nearest<S>(surface.tree, p_Q, bound, [&](std::int32_t first, std::int32_t count, S& distance2) {
    for (std::int32_t t = first; t < first + count; ++t) {
      const TrianglePoint<S> candidate =
          closest_on_triangle<S>(internal::corner<S>(surface, t, 0), internal::corner<S>(surface, t, 1),
                                 internal::corner<S>(surface, t, 2), p_Q);
      if (!(candidate.distance2 < distance2)) continue;
      distance2 = candidate.distance2;
      nearest = candidate;
      triangle = t;
    }
  });
  return triangle;
}

template <class S>
SurfaceDistance<S> signed_distance(const asset::SurfaceView& surface, const Vec3<S>& p_Q,
                                   S reach = std::numeric_limits<S>::infinity());

namespace internal {

// Signed distance at a point so far away that its squared norm overflows in double; uses long double.
[[gnu::noinline, gnu::cold]] inline SurfaceDistance<double> far_distance(const asset::SurfaceView& surface,
                                                                         const Vec3<double>& p_Q,
                                                                         double reach) {
  using T = long double;
  const SurfaceDistance<T> d = signed_distance<T>(surface, p_Q.cast<T>(), T(reach));
  const auto distance = static_cast<double>(d.distance);
  if (!std::isfinite(distance)) return invalid_distance<double>();
  return {distance, d.closest.cast<double>(), d.gradient.cast<double>(), d.triangle, d.feature, d.status};
}

}  // namespace internal

// Signed distance of `surface` at the point p_Q (m), exact to rounding. kInvalidInput if p_Q or the distance
// is not finite, the surface is empty, or it is not within `reach` (m) of p_Q. A small `reach` shortens the
// search considerably.
template <class S>
SurfaceDistance<S> signed_distance(const asset::SurfaceView& surface, const Vec3<S>& p_Q, S reach) {
  using std::sqrt;
  if (!p_Q.allFinite() || surface.triangle_count <= 0) return internal::invalid_distance<S>();
  TrianglePoint<S> nearest;
  const std::int32_t triangle = nearest_triangle<S>(surface, p_Q, reach, nearest);
  if constexpr (std::is_same_v<S, double>) {
    if (triangle < 0 && !std::isfinite(p_Q.squaredNorm())) return internal::far_distance(surface, p_Q, reach);
  }
  if (triangle < 0) return internal::invalid_distance<S>();  // too far

  const S distance = sqrt(nearest.distance2);
  const Vec3<S> normal = internal::pseudonormal<S>(surface, triangle, nearest.feature);
  const bool inside =
      !internal::outside_box<S>(surface.tree, p_Q) &&
      internal::on_inner_side<S>(surface, triangle, nearest.feature, normal, p_Q, nearest.residual);
  const S sign = inside ? S(-1) : S(1);
  return {sign * distance,
          nearest.closest,
          internal::gradient<S>(surface, triangle, nearest, normal, distance, sign),
          triangle,
          nearest.feature,
          distance > S(0) ? Status::kOk : Status::kTouching};
}

// Computes signed_distance at every point, on `threads` threads (0: all); results are bit-identical for any
// number of them. Throws InvalidInput if the spans differ in size.
void signed_distances(const asset::SurfaceView& surface, std::span<const Vec3<double>> points,
                      std::span<SurfaceDistance<double>> results, int threads = 0);

}  // namespace abut::distance
