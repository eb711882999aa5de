#include "preprocess/pieces/thin_out.h"

#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Surface_mesh_simplification/Policies/Edge_collapse/Count_stop_predicate.h>
#include <CGAL/Surface_mesh_simplification/edge_collapse.h>

#include "preprocess/mesh/surface_mesh.h"

namespace abut::preprocess {

TriangleMesh thin_out(const TriangleMesh& mesh, std::size_t triangles) {
  if (mesh.triangles.size() <= triangles ||
      !CGAL::Polygon_mesh_processing::is_polygon_soup_a_polygon_mesh(to_polygons(mesh)))
    return mesh;
  SurfaceMesh thin = to_surface_mesh(mesh);
  namespace collapse = CGAL::Surface_mesh_simplification;
  collapse::edge_collapse(thin, collapse::Count_stop_predicate<SurfaceMesh>(3 * triangles / 2));
  return to_triangle_mesh(thin);
}

}  // namespace abut::preprocess
