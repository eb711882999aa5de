#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// Axis-aligned box in the world, m.
struct Bounds {
  Vec3<double> low, high;  // least and greatest coordinates

  // Whether they share a point.
  bool meets(const Bounds& other) const {
    return low.x() <= other.high.x() && other.low.x() <= high.x() && low.y() <= other.high.y() &&
           other.low.y() <= high.y() && low.z() <= other.high.z() && other.low.z() <= high.z();
  }
  // Whether `other` lies within, its boundary included.
  bool contains(const Bounds& other) const {
    return (low.array() <= other.low.array()).all() && (other.high.array() <= high.array()).all();
  }
  // Grows to hold `other` too.
  void include(const Bounds& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  // By `margin` (m) on every side.
  void grow(double margin) {
    low.array() -= margin;
    high.array() += margin;
  }
};

// Points of an asset's surface that are tested against other shapes, under a tree over the faces whose
// corners they are.
struct SurfaceSamples {
  std::shared_ptr<const std::vector<Vec3<double>>> points;  // in the shape's frame, m
  const std::int32_t* faces = nullptr;                      // (face, corners) indices of points
  int corners = 0;                                          // of a face
  bvh::TreeView tree;                                       // over the faces
  double overhang = 0;  // by which corners stick out of their boxes in the tree at most, m

  // A sample by its index, in the shape's frame, m.
  const Vec3<double>& operator[](std::int32_t index) const {
    return (*points)[static_cast<std::size_t>(index)];
  }
};

// The corners of the quads where the asset has oriented points, each moved to the closest point of the
// surface (quads that do not resolve a thin wall stand off it), else the vertices of the surface. Corners
// follow its edges; the points themselves, in the middle of the quads, would let a box sink in by half a
// spacing. Between corners s apart a surface of radius R stands out by s^2/(4 R).
SurfaceSamples surface_samples(const body::Geometry& asset);

// What the search for contact points tells apart: primitives by their cores (body::SweptCore), half-spaces,
// and assets, which stand for their surface or for their convex pieces.
enum class ShapeKind : std::uint8_t { kPoint, kSegment, kBox, kEllipsoid, kRims, kPlane, kAsset, kPieces };

class PieceFaces;

// A shape where it is now.
struct PlacedShape {
  body::Body body;                                // the shape's geometry and material
  Pose<double> X_BS;                              // in the body's frame; in the world's if it is fixed
  ShapeKind kind = ShapeKind::kAsset;             // which search for points takes it
  body::SweptCore<double> core{};                 // of a primitive
  SurfaceSamples samples;                         // of an asset's surface
  std::shared_ptr<const PieceFaces> faces;        // of an asset's pieces
  Vec3<double> p_SCenter = Vec3<double>::Zero();  // of the box about the shape along its own axes, m
  Vec3<double> half = Vec3<double>::Zero();       // half sizes of that box, m
  Pose<double> X_WS;                              // place() sets it
  Bounds bounds;                                  // grown by the body's margin; everything for a plane

  // Of a valid shape.
  explicit PlacedShape(const Shape& shape);
  // Of an asset whose samples are at hand.
  PlacedShape(const Shape& shape, const SurfaceSamples& of_asset);
  // Of an asset that stands for its pieces.
  PlacedShape(const Shape& shape, std::shared_ptr<const PieceFaces> of_pieces);

  // Sets X_WS from the body's pose, and the bounds from it.
  void place(const Pose<double>& X_WB, double margin);

 private:
  void bound_asset();
  void bound_pieces();
  // Half sizes of the box about the shape along the world's axes, m.
  Vec3<double> half_extents() const;
};

// A point of contact between two shapes, in the world.
struct SurfacePoint {
  Vec3<double> p_W = Vec3<double>::Zero();   // midway between the surfaces, m
  Vec3<double> n_W = Vec3<double>::UnitZ();  // unit, from A to B
  double gap = 0;                            // along n, m
  double area = 0;                           // m^2; 0: a point
  std::uint64_t feature = 0;               // the same pair of features has the same number from step to step
  std::uint32_t shape_A = 0, shape_B = 0;  // set by the narrow phase
};

}  // namespace abut::dynamics
