#include "runtime/body/tetrahedra.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <compare>
#include <map>

#include "runtime/asset/build_volume.h"
#include "runtime/body/tessellation.h"

namespace abut::body {

namespace {

// A surface vertex and its place on the core. Sorted, vertices with the same place are consecutive.
struct Spoke {
  std::int32_t inner, outer;
  auto operator<=>(const Spoke&) const = default;
};

// Cuts the prism between a surface triangle and its places on the core, some of which may coincide, into up
// to three tetrahedra. Quadrilateral faces are cut from their least vertex on the surface, so that neighbours
// agree.
void cut_prism(std::array<Spoke, 3> corners, std::vector<asset::Tetrahedron>& tetrahedra) {
  std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
  const auto &a = corners[0], &b = corners[1], &c = corners[2];
  const auto add = [&](std::int32_t p, std::int32_t q, std::int32_t r) {
    if (p != q && q != r && r != p) tetrahedra.push_back({p, q, r, a.outer});
  };
  add(a.inner, b.inner, c.inner);
  add(b.outer, c.outer, b < c ? c.inner : b.inner);
  add(b < c ? b.outer : c.outer, c.inner, b.inner);
}

double six_volumes(const std::vector<Vec3<double>>& x, const asset::Tetrahedron& t) {
  return (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).dot(x[t[3]] - x[t[0]]);
}

}  // namespace

asset::Volume tetrahedralize(const Primitive& primitive, double deviation) {
  const TriangleMesh surface = triangulate(primitive, deviation);
  std::vector<Vec3<double>> vertices = surface.vertices;
  std::vector<std::int32_t> inner;
  std::map<std::array<double, 3>, std::int32_t> known;
  for (const Vec3<double>& v : surface.vertices) {
    const Vec3<double> on_core =
        std::visit([&](const auto& shape) { return kind_of(shape).deepest(shape, v); }, primitive);
    const Vec3<double> p = on_core + Vec3<double>::Zero();  // turns -0 into 0
    const auto [place, fresh] =
        known.try_emplace({p.x(), p.y(), p.z()}, static_cast<std::int32_t>(vertices.size()));
    if (fresh) vertices.push_back(p);
    inner.push_back(place->second);
  }
  std::vector<double> extent(vertices.size(), 1.0);
  std::fill_n(extent.begin(), surface.vertices.size(), 0.0);
  std::vector<asset::Tetrahedron> tetrahedra;
  const auto spoke = [&](std::int32_t v) { return Spoke{inner[v], v}; };
  for (const auto& [a, b, c] : surface.triangles) cut_prism({spoke(a), spoke(b), spoke(c)}, tetrahedra);
  std::vector<Vec3<double>> gradients;
  for (asset::Tetrahedron& t : tetrahedra) {
    if (six_volumes(vertices, t) < 0) std::swap(t[0], t[1]);
    gradients.push_back(asset::gradient_in(vertices, t, extent));
  }
  return asset::build_volume(vertices, tetrahedra, extent, gradients);
}

}  // namespace abut::body
