#include "preprocess/remesh/isotropic.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/detect_features.h>
#include <CGAL/Polygon_mesh_processing/remesh.h>
#include <CGAL/Surface_mesh.h>

namespace abut::preprocess {

TriangleMesh remesh_isotropic(const TriangleMesh& closed, double edge, double crease_degrees, int rounds) {
  namespace pmp = CGAL::Polygon_mesh_processing;
  using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
  using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
  Mesh mesh;
  for (const Eigen::Vector3d& v : closed.vertices) mesh.add_vertex({v.x(), v.y(), v.z()});
  for (const Triangle& t : closed.triangles)
    mesh.add_face(Mesh::Vertex_index(t[0]), Mesh::Vertex_index(t[1]), Mesh::Vertex_index(t[2]));
  auto crease = mesh.add_property_map<Mesh::Edge_index, bool>("e:crease", false).first;
  pmp::detect_sharp_edges(mesh, crease_degrees, crease);
  pmp::isotropic_remeshing(faces(mesh), edge, mesh,
                           pmp::parameters::number_of_iterations(rounds).edge_is_constrained_map(crease));
  mesh.collect_garbage();
  TriangleMesh result;
  for (const auto v : mesh.vertices()) {
    const auto& p = mesh.point(v);
    result.vertices.emplace_back(p.x(), p.y(), p.z());
  }
  for (const auto f : mesh.faces()) {
    Triangle t;
    int k = 0;
    for (const auto v : mesh.vertices_around_face(mesh.halfedge(f)))
      t[k++] = static_cast<std::int32_t>(v.idx());
    result.triangles.push_back(t);
  }
  return result;
}

}  // namespace abut::preprocess
