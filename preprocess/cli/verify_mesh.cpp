#include "preprocess/cli/verify_mesh.h"

#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>

#include <array>

namespace abut::preprocess {

namespace pmp = CGAL::Polygon_mesh_processing;
using Mesh = VerifiedMesh;
using Point = Mesh::Point;

std::optional<Mesh> verified_mesh(const std::vector<Point>& points, const std::int32_t* triangles,
                                  std::int32_t count) {
  std::vector<std::array<std::size_t, 3>> faces(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < 3 * faces.size(); ++i)
    faces[i / 3][i % 3] = static_cast<std::size_t>(triangles[i]);
  if (!pmp::is_polygon_soup_a_polygon_mesh(faces)) return std::nullopt;
  Mesh mesh;
  pmp::polygon_soup_to_polygon_mesh(points, faces, mesh);
  return mesh;
}

std::vector<Point> points_of(const asset::SurfaceView& s) {
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(s.vertex_count));
  for (std::int32_t i = 0; i < s.vertex_count; ++i)
    points.emplace_back(s.vertices[3 * i], s.vertices[3 * i + 1], s.vertices[3 * i + 2]);
  return points;
}

std::vector<Point> points_of(const asset::ConvexView& c) {
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(c.vertex_count));
  for (std::int32_t i = 0; i < c.vertex_count; ++i) points.emplace_back(c.x[i], c.y[i], c.z[i]);
  return points;
}

}  // namespace abut::preprocess
