#pragma once

#include "runtime/asset/build_volume.h"
#include "runtime/math/pose.h"

// Tetrahedra made by code, for tests that must run without the preprocess library.
namespace abut::test {

// A convex body cut into one tetrahedron per triangle of its hull, with the fourth corner at the vertices'
// mean, where the extent is 1.
inline asset::Volume star_volume(const asset::ConvexView& hull) {
  std::vector<Vec3<double>> vertices, gradients;
  Vec3<double> center = Vec3<double>::Zero();
  for (std::int32_t v = 0; v < hull.vertex_count; ++v) {
    vertices.emplace_back(hull.x[v], hull.y[v], hull.z[v]);
    center += vertices.back() / hull.vertex_count;
  }
  vertices.push_back(center);
  std::vector<double> extent(vertices.size(), 0.0);
  extent.back() = 1;
  std::vector<asset::Tetrahedron> tetrahedra;
  for (std::int32_t t = 0; t < hull.triangle_count; ++t) {
    const std::int32_t* face = hull.triangles + 3 * t;
    tetrahedra.push_back({face[0], face[2], face[1], hull.vertex_count});
    const Vec3<double>& a = vertices[face[0]];
    const Vec3<double> n = (vertices[face[2]] - a).cross(vertices[face[1]] - a).normalized();
    gradients.emplace_back(n / n.dot(center - a));  // the extent rises from the hull's face to the centre
  }
  return asset::build_volume(vertices, tetrahedra, extent, gradients);
}

}  // namespace abut::test
