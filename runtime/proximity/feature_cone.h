#pragma once

#include "runtime/asset/asset.h"
#include "runtime/distance/surface_distance.h"

// What two surfaces look like about the points where they are nearest: which normals they may have there, and
// whether the points slide.
namespace abut::proximity {

// A point of a surface by its triangle and barycentric coordinates.
struct SurfacePoint {
  std::int32_t triangle = -1;                  // -1: none
  Vec3<double> weight = Vec3<double>::Zero();  // barycentric
};

// The feature of a triangle that has the point of these weights.
distance::Feature feature_of(const Vec3<double>& weights);

// The feature within `tolerance` (m) of the point: its corner or edge if that is so near.
distance::Feature feature_within(const asset::SurfaceView& surface, const SurfacePoint& at, double tolerance);

// The point with weights that are 0 where it lies on that feature.
SurfacePoint settled(const asset::SurfaceView& surface, const SurfacePoint& at, double tolerance);

// Calls take(direction) for unit vectors, in the surface's frame, whose cone is that of all ways along the
// surface from a point of the triangle's feature: its edges, and of an edge or a face those across.
template <class Take>
void visit_directions(const asset::SurfaceView& surface, std::int32_t triangle, distance::Feature feature,
                      Take&& take);

// The normal where surfaces touch, and whether it is one.
struct TouchingNormal {
  Vec3<double> n = Vec3<double>::Zero();  // in A, from A to B
  bool separates = false;                 // a plane across n has the surfaces about the points on its sides
};

// The unit normal of surfaces that touch, all of their points at and about the witness
// points on its two sides: a common normal of both where a face rests on a face; then a face's, or that
// across two edges. Where no plane separates the surfaces it is that from which they stick out least.
TouchingNormal touching_normal(const asset::SurfaceView& A, const asset::SurfaceView& B,
                               const Pose<double>& X_AB, const SurfacePoint& at_A, const SurfacePoint& at_B,
                               double tolerance);

// Whether the witness points have a direction in common in which both surfaces are parallel: across n (in A),
// along a face or an edge of each.
bool slides(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
            const SurfacePoint& at_A, const SurfacePoint& at_B, const Vec3<double>& n);

// Implementation of the template.
namespace internal {

inline Vec3<double> way(const asset::SurfaceView& surface, std::int32_t t, int from, int to) {
  return (distance::internal::corner<double>(surface, t, to % 3) -
          distance::internal::corner<double>(surface, t, from % 3))
      .normalized();
}

// Calls take(triangle, k) for the triangles about corner k of one.
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

// Calls take(u, v) for each triangle about a point of a feature: the ways along its sides from there, unit,
// that span what is seen of it; half a plane of an edge's triangle and a face come in parts.
template <class Take>
void visit_wedges(const asset::SurfaceView& surface, std::int32_t triangle, distance::Feature feature,
                  Take&& take) {
  using distance::Feature;
  if (feature >= Feature::kVertex0)
    return visit_fan(surface, triangle, int(feature) - int(Feature::kVertex0), [&](std::int32_t t, int k) {
      take(way(surface, t, k, k + 1), way(surface, t, k, k + 2));
    });
  const auto across = [&](std::int32_t t, const Vec3<double>& along) {
    return Vec3<double>(distance::internal::face_normal<double>(surface, t).cross(along));
  };
  if (feature == Feature::kFace) {
    const Vec3<double> u = way(surface, triangle, 0, 1), v = across(triangle, u);
    take(u, v), take(v, -u), take(-u, -v), take(-v, u);
    return;
  }
  const int k = int(feature) - int(Feature::kEdge0);
  const Vec3<double> u = way(surface, triangle, k, k + 1);
  const Vec3<double> v = across(triangle, u),
                     w = across(surface.neighbours[std::ptrdiff_t(3) * triangle + k], -u);
  take(u, v), take(v, -u), take(-u, w), take(w, u);
}

}  // namespace internal

template <class Take>
void visit_directions(const asset::SurfaceView& surface, std::int32_t triangle, distance::Feature feature,
                      Take&& take) {
  internal::visit_wedges(surface, triangle, feature,
                         [&](const Vec3<double>& u, const Vec3<double>&) { take(u); });
}

}  // namespace abut::proximity
