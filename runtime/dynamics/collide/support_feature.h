#pragma once

#include <array>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

// The face, edge or vertex of a primitive that looks along a direction, and what two of them share.
namespace abut::dynamics {

// Corners of a rim that stands for a circle: enough that a cylinder standing on it keeps its balance.
inline constexpr int kRimCorners = 8;
inline constexpr int kMaxCorners = 2 * kRimCorners;

// One point, a segment, or a convex polygon, counter-clockwise seen from outside; in the world, m.
struct SupportFeature {
  int size = 0;
  std::array<Vec3<double>, kRimCorners> corner;
  Vec3<double> normal = Vec3<double>::Zero();  // of a polygon: unit, outward
};

// Whether the shape has neither faces nor edges, so that it touches in a single point.
inline bool smooth(const PlacedShape& shape) {
  return shape.kind == ShapeKind::kPoint || shape.kind == ShapeKind::kEllipsoid;
}

// The feature of a primitive that looks most along the unit vector direction_W: a box's face, the disc of a
// rim or a generator of a hull of rims, the support points of both ends of a swept segment, or the support
// point of a smooth shape. The first corner of a rim is its point furthest along the direction, so that the
// feature always holds the shape's support point.
SupportFeature facing_feature(const PlacedShape& shape, const Vec3<double>& direction_W);

// The edge of a box, generator of a hull of rims or segment at right angles to the direction within the angle
// `tolerance` (rad), or nothing (size 0).
SupportFeature facing_edge(const PlacedShape& shape, const Vec3<double>& direction_W, double tolerance);

// Whether the feature is a face whose normal is the unit vector `direction`, within 0.014 rad.
inline bool lies_across(const SupportFeature& feature, const Vec3<double>& direction) {
  constexpr double kAligned = 0.9999;  // cosine
  return feature.size > 2 && feature.normal.dot(direction) > kAligned;
}

// A side of a polygon, as `up` sees it: the polygon's outward normal or a direction near it.
struct PolygonSide {
  Vec3<double> start, outward;  // m; across side and `up`, as long as the side times `up`

  PolygonSide(const SupportFeature& polygon, int side, const Vec3<double>& up)
      : start(polygon.corner[static_cast<std::size_t>(side)]),
        outward((polygon.corner[static_cast<std::size_t>(side + 1 == polygon.size ? 0 : side + 1)] - start)
                    .cross(up)) {}

  // How far outside of the side's line a point is, m, times the length of `outward`; 0 of a point on it to
  // rounding.
  double height_of(const Vec3<double>& p) const;
};

// Whether all points from `first` on are farther from touching than two shapes that are `distance` (m) apart,
// by more than a thousandth of the smaller one: what they share lies between the corners of a polygon that
// stands for a round or many-sided face.
bool misses_nearest(const std::vector<SurfacePoint>& points, std::size_t first, double distance,
                    const PlacedShape& A, const PlacedShape& B);

// Appends the points that the `reference` polygon of A (or of B where `swapped`) shares with a feature of the
// other body, looking along the normal n_W from A to B; gap and place are taken along n_W. Points with a gap
// above the margin are left out.
void clip_features(const SupportFeature& reference, const SupportFeature& incident, const Vec3<double>& n_W,
                   bool swapped, double margin, std::vector<SurfacePoint>& points);

}  // namespace abut::dynamics
