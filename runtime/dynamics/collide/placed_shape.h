#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// Axis-aligned bounding box in the world, m.
struct Bounds {
  Vec3<double> low, high;  // least and greatest coordinates

  // Whether the two boxes share a point.
  bool meets(const Bounds& other) const {
    return low.x() <= other.high.x() && other.low.x() <= high.x() && low.y() <= other.high.y() &&
           other.low.y() <= high.y() && low.z() <= other.high.z() && other.low.z() <= high.z();
  }
  // Whether `other` lies inside this box; boundaries may touch.
  bool contains(const Bounds& other) const {
    return (low.array() <= other.low.array()).all() && (other.high.array() <= high.array()).all();
  }
  // Grows to contain `other`, too.
  void include(const Bounds& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  // Grows by `margin`, m, on every side.
  void grow(double margin) {
    low.array() -= margin;
    high.array() += margin;
  }
};

// Sample points of an asset's surface that are tested against other shapes, with a tree over the faces of
// which they are corners.
struct SurfaceSamples {
  std::shared_ptr<const std::vector<Vec3<double>>> points;  // in the shape's frame, m
  const std::int32_t* faces = nullptr;                      // (face, corners) indices of points
  int corners = 0;                                          // number of corners of a face
  bvh::TreeView tree;                                       // over the faces
  double overhang = 0;  // upper bound of how far corners lie outside their boxes in the tree, m

  // Returns a sample by its index, in the shape's frame, m.
  const Vec3<double>& operator[](std::int32_t index) const {
    return (*points)[static_cast<std::size_t>(index)];
  }
};

// Returns the samples of an asset. Where it has oriented points these are the corners of its quads, each
// moved to the closest point of the surface (quads that do not resolve a thin wall lie off it); otherwise the
// vertices of the surface. Corners follow the surface's edges, whereas the oriented points, in the middle of
// the quads, would let a box sink in by half a spacing. Between corners at distance s a surface of radius R
// protrudes by s^2/(4 R).
SurfaceSamples surface_samples(const body::Geometry& asset);

// The kinds of shapes in the search for contact points: primitives by their cores (body::SweptCore),
// half-spaces, and assets, which are represented by their surface (kAsset) or by their convex pieces
// (kPieces).
enum class ShapeKind : std::uint8_t { kPoint, kSegment, kBox, kEllipsoid, kRims, kPlane, kAsset, kPieces };

class PieceFaces;

// Half sizes of a primitive's bounding box along its own axes, m.
Vec3<double> half_sizes(const body::SweptCore<double>& core);

// A shape at its current pose.
struct PlacedShape {
  body::Body body;                                // the shape's geometry and material
  Pose<double> X_BS;                              // in the body's frame; in the world for a fixed shape
  ShapeKind kind = ShapeKind::kAsset;             // selects the search for contact points
  body::SweptCore<double> core{};                 // of a primitive
  SurfaceSamples samples;                         // of an asset's surface
  std::shared_ptr<const PieceFaces> faces;        // of an asset's pieces
  Vec3<double> p_SCenter = Vec3<double>::Zero();  // centre of the shape's bounding box along S's axes, m
  Vec3<double> half = Vec3<double>::Zero();       // half sizes of that box, m
  Pose<double> X_WS;                              // set by place()
  Bounds bounds;                                  // grown by the body's margin; infinite for a plane

  // Takes a valid shape; samples an asset's surface.
  explicit PlacedShape(const Shape& shape);
  // Takes an asset whose samples are already computed.
  PlacedShape(const Shape& shape, const SurfaceSamples& of_asset);
  // Takes an asset that is represented by its pieces.
  PlacedShape(const Shape& shape, std::shared_ptr<const PieceFaces> of_pieces);

  // Sets X_WS and the bounds from the body's pose.
  void place(const Pose<double>& X_WB, double margin);

 private:
  void bound_asset();
  void bound_pieces();
  // Half sizes of the bounding box along the world's axes, m.
  Vec3<double> half_extents() const;
};

// A contact point between two shapes, in the world.
struct SurfacePoint {
  Vec3<double> p_W = Vec3<double>::Zero();   // midway between the surfaces, m
  Vec3<double> n_W = Vec3<double>::UnitZ();  // unit, from A to B
  double gap = 0;                            // along n, m
  double area = 0;                           // contact area that it represents, m^2; 0 for a mere point
  std::uint64_t feature = 0;                 // identifies the pair of features, the same from step to step
  std::uint32_t shape_A = 0, shape_B = 0;    // set by the narrow phase
};

}  // namespace abut::dynamics
