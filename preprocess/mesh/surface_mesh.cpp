#include "preprocess/mesh/surface_mesh.h"

namespace abut::preprocess {

std::vector<SurfaceMesh::Point> to_points(const TriangleMesh& mesh) {
  std::vector<SurfaceMesh::Point> points;
  points.reserve(mesh.vertices.size());
  for (const Eigen::Vector3d& v : mesh.vertices) points.emplace_back(v.x(), v.y(), v.z());
  return points;
}

std::vector<std::array<std::size_t, 3>> to_polygons(const TriangleMesh& mesh) {
  std::vector<std::array<std::size_t, 3>> polygons;
  polygons.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    polygons.push_back(
        {static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]), static_cast<std::size_t>(t[2])});
  }
  return polygons;
}

SurfaceMesh to_surface_mesh(const TriangleMesh& mesh) {
  SurfaceMesh out;
  out.reserve(mesh.vertices.size(), 3 * mesh.triangles.size() / 2, mesh.triangles.size());
  for (const SurfaceMesh::Point& p : to_points(mesh)) out.add_vertex(p);
  for (const Triangle& t : mesh.triangles) {
    out.add_face(SurfaceMesh::Vertex_index(t[0]), SurfaceMesh::Vertex_index(t[1]),
                 SurfaceMesh::Vertex_index(t[2]));
  }
  return out;
}

TriangleMesh to_triangle_mesh(SurfaceMesh& mesh) {
  mesh.collect_garbage();
  TriangleMesh out;
  out.vertices.reserve(mesh.number_of_vertices());
  out.triangles.reserve(mesh.number_of_faces());
  for (const auto v : mesh.vertices()) {
    const SurfaceMesh::Point& p = mesh.point(v);
    out.vertices.emplace_back(p.x(), p.y(), p.z());
  }
  for (const auto f : mesh.faces()) {
    Triangle t;
    int k = 0;
    for (const auto v : mesh.vertices_around_face(mesh.halfedge(f)))
      t[k++] = static_cast<std::int32_t>(v.idx());
    out.triangles.push_back(t);
  }
  return out;
}

}  // namespace abut::preprocess
