#include "runtime/body/tessellation.h"

#include <utility>
#include <vector>

#include "runtime/bvh/build.h"
#include "runtime/core/error.h"

namespace abut::body {

namespace {

asset::Surface in_tree_order(const TriangleMesh& mesh) {
  std::vector<bvh::Box> boxes;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3<double>&p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    boxes.push_back({p.cwiseMin(q).cwiseMin(r), p.cwiseMax(q).cwiseMax(r)});
  }
  bvh::BuiltTree built = bvh::build_tree(boxes);
  asset::Surface surface;
  for (const std::int32_t t : built.order)
    surface.triangles.insert(surface.triangles.end(), mesh.triangles[t].begin(), mesh.triangles[t].end());
  for (const Vec3<double>& v : mesh.vertices)
    surface.vertices.insert(surface.vertices.end(), v.begin(), v.end());
  surface.tree = std::move(built.tree);
  return surface;
}

}  // namespace

void require_deviation(double deviation) {
  if (!(deviation >= kLeastDeviation && deviation <= kGreatestDeviation))
    throw InvalidInput("primitive: the deviation of its triangles must be from 1e-5 to 0.5 of the radius");
}

TriangleMesh triangulate(const Primitive& primitive, double deviation) {
  require_valid(primitive);
  if (std::holds_alternative<HalfSpace<double>>(primitive))
    throw InvalidInput("half_space: it has no surface of triangles");
  require_deviation(deviation);
  return std::visit([&](const auto& shape) { return kind_of(shape).triangles(shape, deviation); }, primitive);
}

asset::Surface tessellate(const Primitive& primitive, double deviation) {
  return in_tree_order(triangulate(primitive, deviation));
}

}  // namespace abut::body
