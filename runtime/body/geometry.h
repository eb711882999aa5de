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

// Which of an asset's levels and convex pieces stand for the object; level 0 is the finest, piece 0 the hull.
struct Detail {
  int convex = 0, surface = 0, volume = 0, points = 0, grid = 0;  // indices: of a piece; of levels
};

// What a body looks like to every query: an asset or a primitive. A handle: copies share one immutable
// object, which lives as long as the last of them; any number of threads may use it.
class Geometry {
 public:
  // Throws InvalidInput for no asset and for a level or piece that it has not got (0 of an absent part is
  // allowed).
  explicit Geometry(std::shared_ptr<const asset::Asset> asset, const Detail& detail = {});
  explicit Geometry(asset::Asset asset, const Detail& detail = {});  // shared with nobody else

  // Throws InvalidInput for sizes and a deviation out of range. `deviation`: of the triangles and tetrahedra
  // that stand for a round body in pressure-field contact (tessellation.h, tetrahedra.h), in units of its
  // radius.
  explicit Geometry(const Primitive& primitive, double deviation = 1e-3);

  // Of the shared object: no other geometry of this process has had it or will have it.
  std::uint64_t id() const { return object_->id; }

  const std::string& name() const { return object_->name; }  // the asset's, or the primitive's

  // What it is made of, all levels of all parts; null for a primitive.
  const asset::Asset* asset() const { return object_->asset.get(); }
  // Null for an asset.
  const Primitive* primitive() const { return object_->primitive.get(); }
  // The primitive as one of its kinds; null for another and for an asset.
  template <class T>
  const T* as() const {
    return object_->primitive ? std::get_if<T>(object_->primitive.get()) : nullptr;
  }
  const HalfSpace<double>* half_space() const { return as<HalfSpace<double>>(); }  // null for anything else
  double deviation() const;  // as given; 0 of an asset and of a half-space

  // Arrays; counts are 0 where the part is absent. Those of a primitive are made when first asked for, once:
  // tessellation.h, tetrahedra.h, samples.h; its support function needs none, a half-space has none. The
  // normals of a primitive's points stand for nothing: its distance is exact (body/primitive_distance.h).
  const asset::ConvexView& convex() const { return object_->view.convex; }
  const asset::SurfaceView& surface() const;  // closed triangles, m
  const asset::VolumeView& volume() const;    // tetrahedra with the extent
  const asset::PointsView& points() const;    // oriented points
  // Of an asset alone: the distance of a primitive is exact (body/primitive_distance.h).
  const asset::DistanceGridView& grid() const { return object_->view.grid; }
  // Of an asset alone: a primitive is one convex piece.
  const asset::PiecesView& pieces() const { return object_->pieces; }
  const asset::MassProperties& mass() const { return object_->mass; }  // of the solid; 0 of a half-space

  // A piece as a geometry of its own. Throws InvalidInput where there is none with that number.
  Geometry piece(std::int32_t number) const;

  // What of `needs` it cannot offer, and what to do about it; null where it has all.
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
    std::shared_ptr<Derived> derived;       // arrays made when first asked for; of half-spaces none
    std::vector<asset::ConvexView> convex;  // of the pieces
    asset::PiecesView pieces;
  };
  std::shared_ptr<const Object> object_;
};

}  // namespace abut::body
