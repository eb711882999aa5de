#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>

#include <algorithm>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/surface_mesh.h"
#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

namespace pmp = CGAL::Polygon_mesh_processing;

bool is_manifold(const TriangleMesh& mesh) { return pmp::is_polygon_soup_a_polygon_mesh(to_polygons(mesh)); }

}  // namespace

std::vector<std::array<std::int32_t, 2>> find_self_intersections(const TriangleMesh& mesh) {
  const SurfaceMesh surface = to_surface_mesh(mesh);
  std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> pairs;
  pmp::self_intersections<CGAL::Sequential_tag>(surface, std::back_inserter(pairs));
  std::vector<std::array<std::int32_t, 2>> result;
  result.reserve(pairs.size());
  for (const auto& [a, b] : pairs)
    result.push_back({static_cast<std::int32_t>(std::min(a, b)), static_cast<std::int32_t>(std::max(a, b))});
  std::sort(result.begin(), result.end());
  return result;
}

std::size_t count_self_intersections(const TriangleMesh& mesh) {
  return find_self_intersections(mesh).size();
}

std::string find_fault(const TriangleMesh& mesh) {
  if (mesh.triangles.size() < 4) return "it has too few faces to enclose a volume";
  if (!is_manifold(mesh)) return "an edge or vertex is not manifold";
  const WeldedSoup welded = weld(mesh);
  if (welded.seam_vertices > 0) return "it touches itself in a vertex";
  if (welded.mesh.vertices.size() != mesh.vertices.size()) return "a vertex has no face";
  const SurfaceMesh surface = to_surface_mesh(mesh);
  if (!CGAL::is_closed(surface)) return "it is not closed";
  if (pmp::does_self_intersect(surface)) return "it intersects itself";
  if (!(volume(mesh) > 0)) return "its volume is not positive";
  if (find_components(mesh).count > 1 && !pmp::does_bound_a_volume(surface))
    return "it is not oriented outward";
  return {};
}

}  // namespace abut::preprocess
