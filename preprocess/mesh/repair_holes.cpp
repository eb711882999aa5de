#include <CGAL/Polygon_mesh_processing/border.h>
#include <CGAL/Polygon_mesh_processing/triangulate_hole.h>

#include <algorithm>
#include <cmath>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/surface_mesh.h"

namespace abut::preprocess {
namespace {

namespace pmp = CGAL::Polygon_mesh_processing;

// CGAL searches a hole's best triangulation among the faces of its Delaunay tetrahedra and, if these contain
// none, among all, at a cost cubic in the rim's edges: 5 s at 1,000. The latter is skipped for longer rims.
constexpr std::size_t kMaxEdgesForCubic = 400;

double rim_extent(const SurfaceMesh& mesh, SurfaceMesh::Halfedge_index rim, std::size_t& edges) {
  CGAL::Bbox_3 box;
  for (const auto h : CGAL::halfedges_around_face(rim, mesh)) {
    box += mesh.point(mesh.target(h)).bbox();
    ++edges;
  }
  return std::hypot(box.xmax() - box.xmin(), box.ymax() - box.ymin(), box.zmax() - box.zmin());
}

}  // namespace

FilledHoles fill_holes(const TriangleMesh& mesh, double largest_extent) {
  SurfaceMesh surface = to_surface_mesh(mesh);
  std::vector<SurfaceMesh::Halfedge_index> rims;
  pmp::extract_boundary_cycles(surface, std::back_inserter(rims));
  FilledHoles result;
  for (const auto rim : rims) {
    std::size_t edges = 0;
    const double extent = rim_extent(surface, rim, edges);
    bool filled = false;
    if (extent <= largest_extent) {
      std::vector<SurfaceMesh::Face_index> patch;
      pmp::triangulate_hole(surface, rim, std::back_inserter(patch),
                            CGAL::parameters::do_not_use_cubic_algorithm(edges > kMaxEdgesForCubic));
      filled = !patch.empty();
    }
    if (filled) {
      ++result.filled;
      result.edges += edges;
    } else {
      ++result.left;
    }
  }
  result.mesh = to_triangle_mesh(surface);
  return result;
}

}  // namespace abut::preprocess
