#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/body/primitive.h"

namespace abut::body {

// Representations of a shape that a query may need, as bits.
enum Parts : unsigned {
  kNoPart = 0,
  kConvexPart = 1,
  kSurfacePart = 2,
  kVolumePart = 4,
  kPointsPart = 8,
  kGridPart = 16,
  kPiecesPart = 32
};

// Selects which of an asset's levels and convex pieces represent the object; level 0 is the finest, piece 0
// the convex hull of the whole object.
struct Detail {
  int convex = 0;                                     // index of a piece
  int surface = 0, volume = 0, points = 0, grid = 0;  // indices of levels
};

// The shape of a body as every query sees it: an asset or a primitive. A handle: copies share one immutable
// object, which lives as long as the last of them. Thread-safe.
class Geometry {
 public:
  // Throws InvalidInput for a null asset and for a level or piece that the asset does not have (0 is allowed
  // for an absent part).
  explicit Geometry(std::shared_ptr<const asset::Asset> asset, const Detail& detail = {});
  explicit Geometry(asset::Asset asset, const Detail& detail = {});  // not shared

  // Throws InvalidInput for sizes or a deviation out of range. `deviation`: how far the triangles and
  // tetrahedra that represent a round primitive in pressure-field contact (tessellation.h, tetrahedra.h) may
  // be off, in units of its radius.
  explicit Geometry(const Primitive& primitive, double deviation = 1e-3);

  // Identifies the shared object; unique within this process, never reused.
  std::uint64_t id() const { return object_->id; }

  const std::string& name() const { return object_->name; }  // of the asset or of the kind of primitive

  // The asset with all levels of all parts; null for a primitive.
  const asset::Asset* asset() const { return object_->asset.get(); }
  // The primitive; null for an asset.
  const Primitive* primitive() const { return object_->primitive.get(); }
  // The primitive as kind T; null for another kind and for an asset.
  template <class T>
  const T* as() const {
    return object_->primitive ? std::get_if<T>(object_->primitive.get()) : nullptr;
  }
  const HalfSpace<double>* half_space() const { return as<HalfSpace<double>>(); }  // null for anything else
  double deviation() const;  // as given; 0 for an asset and for a half-space

  // Arrays of the parts; counts are 0 where a part is absent. A primitive's arrays are made once, when first
  // requested (tessellation.h, tetrahedra.h, samples.h); its support function needs none, and a half-space
  // has none. The normals of a primitive's points define no field: its distance is exact
  // (body/primitive_distance.h).
  const asset::ConvexView& convex() const { return object_->view.convex; }
  const asset::SurfaceView& surface() const;  // closed triangles, m
  const asset::VolumeView& volume() const;    // tetrahedra with the extent field
  const asset::PointsView& points() const;    // oriented points
  // Only an asset has a grid: the distance of a primitive is exact (body/primitive_distance.h).
  const asset::DistanceGridView& grid() const { return object_->view.grid; }
  // Only an asset has pieces: a primitive is one convex piece.
  const asset::PiecesView& pieces() const { return object_->pieces; }
  const asset::MassProperties& mass() const { return object_->mass; }  // of the solid; 0 for a half-space

  // Returns a convex piece as a geometry of its own. Throws InvalidInput if there is no piece of that number.
  Geometry piece(std::int32_t number) const;

  // Says which of the parts `needs` (bits of Parts) is missing and how to get it; null if none is missing.
  const char* missing_part(unsigned needs) const;

 private:
  struct Object {
    std::uint64_t id;
    std::string name;
    asset::AssetView view;
    asset::MassProperties mass;
    std::unique_ptr<const Primitive> primitive;
    std::shared_ptr<const asset::Asset> asset;
    struct Derived;
    std::shared_ptr<Derived> derived;       // arrays made on first request; null: none
    std::vector<asset::ConvexView> convex;  // of the pieces, without the hull
    asset::PiecesView pieces;
  };
  std::shared_ptr<const Object> object_;
};

}  // namespace abut::body
