#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/stitch_borders.h>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/surface_mesh.h"

namespace abut::preprocess {

namespace pmp = CGAL::Polygon_mesh_processing;

OrientedSoup orient_soup(const TriangleMesh& soup) {
  std::vector<SurfaceMesh::Point> points = to_points(soup);
  auto polygons = to_polygons(soup);
  pmp::orient_polygon_soup(points, polygons);
  TriangleMesh oriented;
  oriented.vertices.resize(points.size());
  for (const auto& p : polygons) {
    oriented.triangles.push_back(
        {static_cast<std::int32_t>(p[0]), static_cast<std::int32_t>(p[1]), static_cast<std::int32_t>(p[2])});
  }
  const Components parts = find_components(oriented);
  // Copies of a vertex have its position: a face was reversed if its first edge is none of those it had.
  std::vector<char> turned(polygons.size());
  std::vector<std::size_t> faces(parts.count), turned_of(parts.count);
  for (std::size_t f = 0; f < polygons.size(); ++f) {
    turned[f] = 1;
    for (int k = 0; k < 3; ++k) {
      if (points[polygons[f][0]] == points[soup.triangles[f][k]] &&
          points[polygons[f][1]] == points[soup.triangles[f][(k + 1) % 3]])
        turned[f] = 0;
    }
    ++faces[parts.of_face[f]];
    turned_of[parts.of_face[f]] += turned[f];
  }
  OrientedSoup result;
  for (std::size_t f = 0; f < polygons.size(); ++f) {
    const std::int32_t part = parts.of_face[f];
    const bool back = 2 * turned_of[part] > faces[part];
    if (back) std::swap(polygons[f][1], polygons[f][2]);
    result.turned += back != static_cast<bool>(turned[f]);
  }
  SurfaceMesh surface;
  pmp::polygon_soup_to_polygon_mesh(points, polygons, surface);
  // Orienting separates the faces along edges that have more than two; within each part they are stitched
  // again.
  pmp::stitch_borders(surface, CGAL::parameters::apply_per_connected_component(true));
  result.mesh = to_triangle_mesh(surface);
  return result;
}

}  // namespace abut::preprocess
