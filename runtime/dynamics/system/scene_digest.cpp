#include "runtime/dynamics/system/scene_digest.h"

#include <cstring>
#include <map>
#include <span>

#include "runtime/asset/container.h"
#include "runtime/contact/soft_potential.h"

namespace abut::dynamics {
namespace {

// Collects the bytes of all data that the motion depends on, in a fixed order.
class Content {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }
  void add(double value) { add(&value, sizeof value); }
  void add(std::int64_t value) { add(&value, sizeof value); }
  void add(const Vec3<double>& v) { add(v.data(), 3 * sizeof(double)); }
  void add(const std::string& text) {
    add(static_cast<std::int64_t>(text.size()));
    add(text.data(), text.size());
  }

  void add(const Shape& shape) {
    const body::Primitive* primitive = shape.geometry.primitive();
    add(static_cast<std::int64_t>(primitive ? primitive->index() : std::variant_size_v<body::Primitive>));
    if (const auto* plane = shape.geometry.half_space()) add(plane->thickness);
    if (primitive) {
      for (const double size : body::sizes(*primitive)) add(size);
      // Not at its default, so that the digests that recordings have of scenes hold.
      const double deviation = shape.geometry.deviation();
      if (deviation != body::Geometry(*primitive).deviation()) add(deviation);
    } else {
      add(digest_of(shape.geometry));
    }
    add(shape.X_BS.R.data(), 9 * sizeof(double));
    add(shape.X_BS.p);
    const body::Material& m = shape.material;
    for (const double value : {m.modulus, m.dissipation, m.friction, m.restitution, m.patch}) add(value);
  }

  void add(const Body& body) {
    add(body.name);
    add(body.mass);
    add(body.inertia);
    add(body.p_WB);
    add(body.q_WB.data(), sizeof body.q_WB);
    add(body.v_WB);
    add(body.w_WB_W);
    add(static_cast<std::int64_t>(body.shapes.size()));
    for (const Shape& shape : body.shapes) add(shape);
    add(static_cast<std::int64_t>(body.group));
    add(static_cast<std::int64_t>(body.joint ? 1 : 0));
    if (body.joint) add(*body.joint);
  }

  void add(const BodyJoint& joint) {
    const Joint& j = joint.joint;
    add(static_cast<std::int64_t>(joint.parent));
    add(static_cast<std::int64_t>(j.type));
    for (const Pose<double>* X : {&j.X_PJ, &joint.X_LB}) {
      add(X->R.data(), 9 * sizeof(double));
      add(X->p);
    }
    add(j.axis_J);
    for (const double number : {j.lower, j.upper, j.damping, j.stiffness, j.friction, j.armature})
      add(number);
    add(static_cast<std::int64_t>(j.mimic ? j.mimic->link : -1));
    if (j.mimic) add(j.mimic->multiplier), add(j.mimic->offset);
    for (const VecX<double>* numbers : {&joint.q, &joint.v}) add_array(numbers->data(), numbers->size());
  }

  std::string digest() const { return asset::digest(bytes_); }

 private:
  template <class T>
  void add_array(const T* values, std::int64_t count) {
    add(count);
    if (count > 0) add(asset::digest(std::as_bytes(std::span(values, static_cast<std::size_t>(count)))));
  }

  void add(const asset::ConvexView& convex) {
    for (const double* axis : {convex.x, convex.y, convex.z}) add_array(axis, convex.vertex_count);
  }

  void add(const asset::DistanceGridView& grid) {
    std::int64_t places = 1;
    for (int k = 0; k < 3; ++k) {
      places *= grid.places[k];
      add(static_cast<std::int64_t>(grid.places[k]));
      add(grid.origin[k]);
    }
    add(grid.spacing);
    add(grid.reach);
    add_array(grid.index, places);
    add_array(grid.rows, 4LL * 4 * 8 * grid.brick_count);
  }

  // Digest of those arrays of an asset from which its others are derived; cached, because bodies share
  // assets.
  const std::string& digest_of(const body::Geometry& geometry) {
    const auto [found, fresh] = assets_.try_emplace(geometry.id());
    if (!fresh) return found->second;
    Content content;
    const asset::SurfaceView& surface = geometry.surface();
    const asset::ConvexView& convex = geometry.convex();
    const asset::VolumeView& volume = geometry.volume();
    const asset::PointsView& points = geometry.points();
    content.add_array(surface.vertices, 3LL * surface.vertex_count);
    content.add_array(surface.triangles, 3LL * surface.triangle_count);
    content.add(convex);
    content.add_array(volume.vertices, 3LL * volume.vertex_count);
    content.add_array(volume.tetrahedra, 4LL * volume.tetrahedron_count);
    content.add_array(volume.extent, volume.vertex_count);
    for (const double* axis :
         {points.x, points.y, points.z, points.nx, points.ny, points.nz, points.areas, points.thickness})
      content.add_array(axis, points.point_count);
    content.add_array(points.quads, 4LL * points.point_count);
    content.add_array(points.vertices, 3LL * points.vertex_count);
    content.add(geometry.grid());
    for (std::int32_t k = 0; k < geometry.pieces().piece_count; ++k) content.add(geometry.pieces().convex[k]);
    return found->second = content.digest();
  }

  std::vector<std::byte> bytes_;
  std::map<std::uint64_t, std::string> assets_;  // digests by the geometry's id
};

}  // namespace

std::string digest(const Scene& scene) {
  Content content;
  content.add(scene.gravity);
  content.add(static_cast<std::int64_t>(scene.fixed.size()));
  for (const Shape& shape : scene.fixed) content.add(shape);
  content.add(static_cast<std::int64_t>(scene.bodies.size()));
  for (const Body& body : scene.bodies) content.add(body);
  content.add(static_cast<std::int64_t>(scene.apart.size()));
  for (const auto& [A, B] : scene.apart) {
    content.add(static_cast<std::int64_t>(A));
    content.add(static_cast<std::int64_t>(B));
  }
  for (const ContactChoice& choice : scene.contacts) {
    for (const std::string& word : {choice.A, choice.B, choice.model}) content.add(word);
    SettingValues settings = choice.settings;
    std::erase_if(settings,
                  [](const SettingValue& setting) { return setting.name == contact::kPairThreads; });
    content.add(static_cast<std::int64_t>(settings.size()));
    for (const SettingValue& setting : settings) content.add(setting.name), content.add(setting.text);
  }
  return content.digest();
}

}  // namespace abut::dynamics
