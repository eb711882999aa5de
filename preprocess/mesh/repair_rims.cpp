#include <CGAL/Polygon_mesh_processing/triangulate_hole.h>
#include <CGAL/utility.h>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/surface_mesh.h"

namespace abut::preprocess {

namespace pmp = CGAL::Polygon_mesh_processing;

std::vector<Triangle> triangulate_rim(const TriangleMesh& mesh, const std::vector<std::int32_t>& rim) {
  std::vector<SurfaceMesh::Point> points;
  Eigen::Vector3d around = Eigen::Vector3d::Zero(), lid = around;
  const auto at = [&](int i) -> const Eigen::Vector3d& {
    return mesh.vertices[rim[static_cast<std::size_t>(i) % rim.size()]];
  };
  for (int i = 0; i < static_cast<int>(rim.size()); ++i) {
    points.emplace_back(at(i).x(), at(i).y(), at(i).z());
    around += (at(i) - at(0)).cross(at(i + 1) - at(0));
  }
  std::vector<CGAL::Triple<int, int, int>> patch;
  try {
    pmp::triangulate_hole_polyline(
        points, std::back_inserter(patch),
        CGAL::parameters::use_2d_constrained_delaunay_triangulation(true).do_not_use_cubic_algorithm(true));
  } catch (const CGAL::Failure_exception&) {
    return {};
  }
  std::vector<Triangle> triangles;
  for (const auto& t : patch) {
    const int i = t.first, j = t.second, k = t.third;
    lid += (at(j) - at(i)).cross(at(k) - at(i));
    triangles.push_back({rim[i], rim[j], rim[k]});
  }
  if (lid.dot(around) < 0)
    for (Triangle& t : triangles) std::swap(t[1], t[2]);
  return triangles;
}

}  // namespace abut::preprocess
