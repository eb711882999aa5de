#pragma once

#include <array>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

// The face, edge or vertex of a primitive that faces a direction, and the points that two of these share.
namespace abut::dynamics {

// Corners of the polygon that approximates a cylinder's rim: enough for a standing cylinder to be stable.
inline constexpr int kRimCorners = 8;
inline constexpr int kMaxCorners = 2 * kRimCorners;

// A point, a segment, or a convex polygon with corners counter-clockwise as seen from outside; in the world,
// m.
struct SupportFeature {
  int size = 0;
  std::array<Vec3<double>, kRimCorners> corner;
  Vec3<double> normal = Vec3<double>::Zero();  // outward unit normal of a polygon
};

// Whether the shape has neither faces nor edges, so that it touches in a single point.
inline bool smooth(const PlacedShape& shape) {
  return shape.kind == ShapeKind::kPoint || shape.kind == ShapeKind::kEllipsoid;
}

// Returns the feature of a primitive whose normal is closest to the unit vector direction_W: the face of a
// box, the disc of a rim or a generator of a hull of two rims, the support points of both ends of a swept
// segment, or the support point of a smooth shape. The first corner of a disc is its point farthest along the
// direction, so that the feature always contains the shape's support point.
SupportFeature facing_feature(const PlacedShape& shape, const Vec3<double>& direction_W);

// Returns the edge of a box, the generator of a hull of two rims or the swept segment that faces the
// direction and is perpendicular to it within the angle `tolerance`, rad. Its size is 0 where there is none.
SupportFeature facing_edge(const PlacedShape& shape, const Vec3<double>& direction_W, double tolerance);

// Whether the feature is a face whose normal equals the unit vector `direction` within 0.014 rad.
inline bool lies_across(const SupportFeature& feature, const Vec3<double>& direction) {
  constexpr double kAligned = 0.9999;  // cosine
  return feature.size > 2 && feature.normal.dot(direction) > kAligned;
}

// A side of a polygon seen along `up`, which is the polygon's outward normal or a direction near it.
struct PolygonSide {
  Vec3<double> start, outward;  // start point, m; the side's vector x `up`, m

  PolygonSide(const SupportFeature& polygon, int side, const Vec3<double>& up)
      : start(polygon.corner[static_cast<std::size_t>(side)]),
        outward((polygon.corner[static_cast<std::size_t>(side + 1 == polygon.size ? 0 : side + 1)] - start)
                    .cross(up)) {}

  // Signed distance, m, of a point from the side's line, positive outside, times the length of `outward`.
  // Exactly 0 for a point that is on the line to rounding.
  double height_of(const Vec3<double>& p) const;
};

// Whether the gaps of all points from `first` on exceed the distance of the two shapes, m, by more than a
// thousandth of the smaller one's size. Then the nearest points lie between the corners of a polygon that
// approximates a round or many-sided face.
bool misses_nearest(const std::vector<SurfacePoint>& points, std::size_t first, double distance,
                    const PlacedShape& A, const PlacedShape& B);

// Clips the `incident` feature of the other body by the `reference` polygon of A (or of B where `swapped`),
// seen along the normal n_W from A to B, and appends the corners of the result. Gaps and positions are
// measured along n_W. Leaves out points with a gap above the margin, m.
void clip_features(const SupportFeature& reference, const SupportFeature& incident, const Vec3<double>& n_W,
                   bool swapped, double margin, std::vector<SurfacePoint>& points);

}  // namespace abut::dynamics
