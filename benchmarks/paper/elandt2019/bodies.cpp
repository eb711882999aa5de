#include "benchmarks/paper/elandt2019/bodies.h"

#include <array>
#include <cmath>
#include <map>

#include "preprocess/index/index.h"
#include "preprocess/pressure/volume.h"
#include "tests/support/hulls.h"

namespace abut::elandt2019 {

using Eigen::Vector3d;
using preprocess::TetrahedralMesh;
using preprocess::TriangleMesh;

asset::Asset layer(double half_x, double half_y, const std::vector<double>& depths,
                   const std::vector<double>& extents) {
  TetrahedralMesh mesh;
  std::vector<double> extent;
  for (std::size_t i = 0; i < depths.size(); ++i)
    for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
      mesh.vertices.emplace_back(x * half_x, y * half_y, -depths[i]);
      extent.push_back(extents[i]);
    }
  // Six tetrahedra around the diagonal from corner 0 above to corner 2 below.
  constexpr std::array<std::array<int, 2>, 6> kEdges = {{{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}}};
  for (std::int32_t i = 0; i + 1 < static_cast<std::int32_t>(depths.size()); ++i)
    for (const auto& edge : kEdges) {
      preprocess::Tetrahedron t = {4 * i, 4 * i + edge[0], 4 * i + edge[1], 4 * i + 6};
      const auto p = [&](int k) -> const Vector3d& { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
      if (preprocess::six_volumes(p(0), p(1), p(2), p(3)) < 0) std::swap(t[1], t[2]);
      mesh.tetrahedra.push_back(t);
    }
  asset::Asset result;
  result.name = "layer";
  result.volumes.push_back(
      preprocess::build_volume(mesh, preprocess::with_gradients(mesh, std::move(extent))));
  return result;
}

asset::Asset rigid(const TriangleMesh& mesh) {
  asset::Asset result;
  result.name = "rigid";
  result.surfaces.push_back(preprocess::build_surface(mesh));
  return result;
}

TriangleMesh block(double half_x, double half_y, double top, int strips,
                   const std::function<double(double)>& underside) {
  TriangleMesh mesh;
  // Rows of four: under front, under back, top front, top back.
  for (int i = 0; i <= strips; ++i) {
    const double x = half_x * (2.0 * i / strips - 1), z = underside(x);
    for (const double height : {z, top})
      for (const double y : {-half_y, half_y}) mesh.vertices.emplace_back(x, y, height);
  }
  const auto quad = [&](int a, int b, int c, int d) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  };
  for (int i = 0; i < strips; ++i) {
    const int p = 4 * i, q = p + 4;
    quad(p, p + 1, q + 1, q);          // underside
    quad(p + 2, q + 2, q + 3, p + 3);  // top
    quad(p, q, q + 2, p + 2);          // front
    quad(p + 1, p + 3, q + 3, q + 1);  // back
  }
  quad(0, 2, 3, 1);
  const int e = 4 * strips;
  quad(e, e + 1, e + 3, e + 2);
  return mesh;
}

TriangleMesh sphere(double radius, int level) {
  const asset::ConvexPiece hull = test::tessellated_ellipsoid(level, {radius, radius, radius});
  const asset::ConvexView view = asset::view(hull);
  TriangleMesh mesh;
  for (std::int32_t v = 0; v < view.vertex_count; ++v)
    mesh.vertices.emplace_back(view.x[v], view.y[v], view.z[v]);
  for (std::int32_t t = 0; t < view.triangle_count; ++t)
    mesh.triangles.push_back({view.triangles[3 * t], view.triangles[3 * t + 1], view.triangles[3 * t + 2]});
  return mesh;
}

asset::Asset ball(double radius, int level) {
  asset::Asset result;
  result.name = "ball";
  result.volumes.push_back(
      test::star_volume(asset::view(test::tessellated_ellipsoid(level, {radius, radius, radius}))));
  return result;
}

std::string csv_header(const std::string& columns) {
  return std::string("# commit ") + ABUT_COMMIT + ", " + ABUT_FLAGS + "\n" + columns + "\n";
}

}  // namespace abut::elandt2019
