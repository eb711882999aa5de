#include "preprocess/remesh/isotropic.h"

#include <CGAL/Polygon_mesh_processing/detect_features.h>
#include <CGAL/Polygon_mesh_processing/remesh.h>

#include "preprocess/mesh/surface_mesh.h"

namespace abut::preprocess {

TriangleMesh remesh_isotropic(const TriangleMesh& closed, double edge, double crease_degrees, int rounds) {
  namespace pmp = CGAL::Polygon_mesh_processing;
  SurfaceMesh mesh = to_surface_mesh(closed);
  auto crease = mesh.add_property_map<SurfaceMesh::Edge_index, bool>("e:crease", false).first;
  pmp::detect_sharp_edges(mesh, crease_degrees, crease);
  pmp::isotropic_remeshing(faces(mesh), edge, mesh,
                           pmp::parameters::number_of_iterations(rounds).edge_is_constrained_map(crease));
  return to_triangle_mesh(mesh);
}

}  // namespace abut::preprocess
