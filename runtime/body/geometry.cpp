#include "runtime/body/geometry.h"

#include <atomic>
#include <mutex>

#include "runtime/body/tessellation.h"
#include "runtime/core/error.h"

namespace abut::body {

struct Geometry::Object::Triangles {
  double deviation;
  std::once_flag made;
  asset::Surface surface;
  asset::SurfaceView view;
};

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// View of the level asked for. Level 0 of an absent part is an empty view.
template <class View, class Part>
void choose(const std::vector<Part>& levels, int level, const asset::Asset& asset, const char* what,
            View& view) {
  if (levels.empty() && level == 0) return;
  if (level < 0 || level >= static_cast<int>(levels.size()))
    throw InvalidInput("asset '" + asset.name + "': " + what + " " + std::to_string(level) +
                       " is asked for; it has " + std::to_string(levels.size()));
  view = asset::view(levels[static_cast<std::size_t>(level)]);
}

}  // namespace

Geometry::Geometry(std::shared_ptr<const asset::Asset> asset, const Detail& detail) {
  if (!asset) throw InvalidInput("a geometry is made of no asset");
  auto object = std::make_shared<Object>();
  object->id = next_id();
  object->name = asset->name;
  choose(asset->convex, detail.convex, *asset, "convex piece", object->view.convex);
  choose(asset->surfaces, detail.surface, *asset, "surface level", object->view.surface);
  choose(asset->volumes, detail.volume, *asset, "volume level", object->view.volume);
  choose(asset->points, detail.points, *asset, "level of points", object->view.points);
  object->view.volume.id = object->id;
  object->mass = asset->mass;
  object->asset = std::move(asset);
  object->view.mass = &object->mass;
  object_ = std::move(object);
}

Geometry::Geometry(asset::Asset asset, const Detail& detail)
    : Geometry(std::make_shared<const asset::Asset>(std::move(asset)), detail) {}

Geometry::Geometry(const Primitive& primitive, double deviation) {
  require_valid(primitive);
  require_deviation(deviation);
  auto object = std::make_shared<Object>();
  object->id = next_id();
  object->name = row_of(primitive).name;
  object->mass = mass_properties(primitive);
  object->primitive = std::make_unique<const Primitive>(primitive);
  object->triangles = std::make_shared<Object::Triangles>();
  object->triangles->deviation = deviation;
  object->view.mass = &object->mass;
  object_ = std::move(object);
}

const asset::SurfaceView& Geometry::surface() const {
  if (!object_->primitive || half_space() != nullptr) return object_->view.surface;
  Object::Triangles& triangles = *object_->triangles;
  std::call_once(triangles.made, [&] {
    triangles.surface = tessellate(*object_->primitive, triangles.deviation);
    triangles.view = asset::view(triangles.surface);
  });
  return triangles.view;
}

const char* Geometry::missing_part(unsigned needs) const {
  if (object_->primitive) {
    if ((needs & kSurfacePart) != 0 && half_space() != nullptr) return "is a half-space: it has no surface";
    if ((needs & kVolumePart) != 0) return "is a primitive without tetrahedra; make it rigid";
    if ((needs & kPointsPart) != 0) return "is a primitive without oriented points";
    return nullptr;
  }
  const asset::AssetView& view = object_->view;
  if ((needs & kConvexPart) != 0 && view.convex.vertex_count <= 0)
    return "has no convex hull; preprocess the object again";
  if ((needs & kSurfacePart) != 0 && view.surface.triangle_count <= 0)
    return "has no surface; preprocess the object again";
  if ((needs & kVolumePart) != 0 && view.volume.tetrahedron_count <= 0)
    return "has no tetrahedra; preprocess the object again with --tets";
  if ((needs & kPointsPart) != 0 && view.points.blocks.block_count <= 0)
    return "has no oriented points; preprocess the object again with --quads";
  return nullptr;
}

}  // namespace abut::body
