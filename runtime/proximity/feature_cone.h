#pragma once

#include "runtime/asset/asset.h"
#include "runtime/distance/depth_balance.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/distance/triangle_pair.h"

// The local shape of two surfaces about their nearest points: which normals they may have there, and whether
// the points can slide.
namespace abut::proximity {

// A point of a surface by its triangle and barycentric coordinates.
struct SurfacePoint {
  std::int32_t triangle = -1;                  // -1: none
  Vec3<double> weight = Vec3<double>::Zero();  // barycentric
};

// The feature (corner, edge or face) of a triangle that carries the point with these barycentric weights.
distance::Feature feature_of(const Vec3<double>& weights);

// Barycentric coordinates of the point p of a triangle's feature, exactly 0 for corners that do not carry it.
Vec3<double> weights_at(const distance::Triangle<double>& t, distance::Feature feature,
                        const Vec3<double>& p);

// The feature within `tolerance` (m) of the point: a corner or an edge if one is that near, else the face.
distance::Feature feature_within(const asset::SurfaceView& surface, const SurfacePoint& at, double tolerance);

// The point snapped to that feature: its weights are 0 for corners that do not span the feature.
SurfacePoint settled(const asset::SurfaceView& surface, const SurfacePoint& at, double tolerance);

// The flat in which the point can move to both sides: that of its feature and, in the plane normal to n,
// every direction u for which both u and -u lie along the surface. A diagonal of a flat face or a vertex
// within it has the plane of the face, a vertex on a straight edge the line of the edge. n: unit, in the
// surface's frame; 0 (of a triangle without area): the flat of the feature alone.
distance::FlatBasis flat_at(const asset::SurfaceView& surface, const SurfacePoint& at, const Vec3<double>& n);

// Calls take(direction) for unit vectors, in the surface's frame, that span the cone of all directions along
// the surface from a point of the triangle's feature: along its edges and, from an edge or a face, across
// them.
template <class Take>
void visit_directions(const asset::SurfaceView& surface, std::int32_t triangle, distance::Feature feature,
                      Take&& take);

// The normal where surfaces touch, and whether it separates them.
struct TouchingNormal {
  Vec3<double> n = Vec3<double>::Zero();  // in A, from A to B
  bool separates = false;                 // the surfaces near the points are on two sides of n's plane
};

// The unit normal of surfaces that touch, such that both surfaces near the witness points lie on the two
// sides of the plane normal to it: the common normal where a face rests on a face, else the normal of a face,
// or the common normal of two edges. Where no plane separates the surfaces, the normal of the plane beyond
// which they stick out least. `tolerance` (m) is the one of `feature_within`.
TouchingNormal touching_normal(const asset::SurfaceView& A, const asset::SurfaceView& B,
                               const Pose<double>& X_AB, const SurfacePoint& at_A, const SurfacePoint& at_B,
                               double tolerance);

// Whether the witness points can slide together: both surfaces contain, along a face or an edge of each, a
// common direction perpendicular to n (in A).
bool slides(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
            const SurfacePoint& at_A, const SurfacePoint& at_B, const Vec3<double>& n);

// Implementation of the template.
namespace internal {

inline Vec3<double> way(const asset::SurfaceView& surface, std::int32_t t, int from, int to) {
  return (distance::internal::corner<double>(surface, t, to % 3) -
          distance::internal::corner<double>(surface, t, from % 3))
      .normalized();
}

// Calls take(u, v) for each triangle about a point of a feature, where the unit vectors u and v along its
// sides from there span the part of the triangle that is seen from the point. The half-plane of an edge's
// triangle and the plane of a face are passed in parts.
template <class Take>
void visit_wedges(const asset::SurfaceView& surface, std::int32_t triangle, distance::Feature feature,
                  Take&& take) {
  using distance::Feature;
  if (feature >= Feature::kVertex0)
    return distance::internal::visit_fan(
        surface, triangle, int(feature) - int(Feature::kVertex0),
        [&](std::int32_t t, int k) { take(way(surface, t, k, k + 1), way(surface, t, k, k + 2)); });
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
