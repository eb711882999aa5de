#include "runtime/body/geometry.h"

#include <atomic>
#include <mutex>

#include "runtime/body/samples.h"
#include "runtime/body/tessellation.h"
#include "runtime/body/tetrahedra.h"
#include "runtime/core/error.h"
#include "runtime/core/settings.h"
#include "runtime/ssdf/surface_samples.h"

namespace abut::body {

namespace {

// A part of a geometry that is made on first request. Thread-safe.
template <class Part, class View>
struct Lazy {
  std::once_flag made;
  Part part;
  View view;

  // `id`: that of the geometry.
  template <class Make>
  const View& get(std::uint64_t id, Make&& make) {
    std::call_once(made, [&] {
      part = make();
      view = asset::view(part);
      if constexpr (requires { view.id; }) view.id = id;
    });
    return view;
  }
};

}  // namespace

struct Geometry::Object::Derived {
  double deviation;  // of a primitive's triangles
  Lazy<asset::Surface, asset::SurfaceView> surface;
  Lazy<asset::Volume, asset::VolumeView> volume;
  Lazy<asset::OrientedPoints, asset::PointsView> points;
  // For an asset with points and a grid: its points, with samples moved onto the surface.
  std::once_flag on_surface;
  asset::SampleBlocks samples;
  asset::PointsView sampled;
};

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// Returns make(primitive). Adds the primitive to the message where `make` refuses extreme sizes.
template <class Make>
auto made_of(const Primitive& primitive, Make&& make) {
  try {
    return make(primitive);
  } catch (const InvalidInput& error) {
    std::string text(row_of(primitive).name);
    for (const double size : sizes(primitive)) text += ":" + number_text(size);
    throw InvalidInput("'" + text + "': " + error.what());
  }
}

// Sets `view` to the view of the requested level; to an empty one for level 0 of an absent part.
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
  choose(asset->grids, detail.grid, *asset, "grid", object->view.grid);
  if (!asset->pieces.empty()) {
    for (std::size_t i = 1; i < asset->convex.size(); ++i)
      object->convex.push_back(asset::view(asset->convex[i]));
    object->pieces = asset::view(asset->pieces.front(), object->convex);
  }
  object->view.volume.id = object->id;
  object->mass = asset->mass;
  object->asset = std::move(asset);
  object->view.mass = &object->mass;
  if (object->view.points.vertex_count > 0 && object->view.grid.brick_count > 0)
    object->derived = std::make_shared<Object::Derived>();
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
  if (!std::holds_alternative<HalfSpace<double>>(primitive)) {
    object->derived = std::make_shared<Object::Derived>();
    object->derived->deviation = deviation;
  }
  object->view.mass = &object->mass;
  object_ = std::move(object);
}

double Geometry::deviation() const {
  return object_->primitive && object_->derived ? object_->derived->deviation : 0;
}

const asset::SurfaceView& Geometry::surface() const {
  if (!object_->primitive || !object_->derived) return object_->view.surface;
  Object::Derived& derived = *object_->derived;
  return derived.surface.get(id(), [&] {
    return made_of(*object_->primitive, [&](const Primitive& p) { return tessellate(p, derived.deviation); });
  });
}

const asset::VolumeView& Geometry::volume() const {
  if (!object_->primitive || !object_->derived) return object_->view.volume;
  Object::Derived& derived = *object_->derived;
  return derived.volume.get(id(), [&] {
    return made_of(*object_->primitive,
                   [&](const Primitive& p) { return tetrahedralize(p, derived.deviation); });
  });
}

const asset::PointsView& Geometry::points() const {
  if (!object_->derived) return object_->view.points;
  Object::Derived& derived = *object_->derived;
  if (object_->primitive)
    return derived.points.get(id(), [&] { return made_of(*object_->primitive, sample_surface); });
  std::call_once(derived.on_surface, [&] {
    const asset::AssetView& view = object_->view;
    derived.samples = ssdf::samples_on_surface(view.points, view.grid);
    derived.sampled = view.points;
    derived.sampled.samples = asset::view(derived.samples);
  });
  return derived.sampled;
}

Geometry Geometry::piece(std::int32_t number) const {
  if (number < 0 || number >= pieces().piece_count)
    throw InvalidInput("'" + name() + "': piece " + std::to_string(number) + " is asked for; it has " +
                       std::to_string(pieces().piece_count));
  return Geometry(object_->asset, {.convex = number + 1});
}

const char* Geometry::missing_part(unsigned needs) const {
  if (object_->primitive) {
    if (half_space() == nullptr) return nullptr;
    if ((needs & kSurfacePart) != 0) return "is a half-space: it has no surface";
    if ((needs & kVolumePart) != 0) return "is a half-space: it has no tetrahedra";
    if ((needs & kPointsPart) != 0) return "is a half-space: it has no oriented points";
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
  if ((needs & kGridPart) != 0 && view.grid.brick_count <= 0)
    return "has no distance grid; preprocess the object again with --grid auto";
  if ((needs & kPiecesPart) != 0 && object_->pieces.piece_count <= 0)
    return "has no convex pieces; preprocess the object again with --pieces auto";
  return nullptr;
}

}  // namespace abut::body
