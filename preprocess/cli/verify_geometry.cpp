#include "preprocess/cli/verify_geometry.h"

#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Polygon_mesh_processing/shape_predicates.h>
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "preprocess/cli/verify_mesh.h"
#include "runtime/core/counted.h"

namespace abut::preprocess {
namespace {

namespace pmp = CGAL::Polygon_mesh_processing;
using Mesh = VerifiedMesh;
using Point = Mesh::Point;

}  // namespace

std::vector<std::string> solid_problems(const asset::SurfaceView& surface) {
  const std::optional<Mesh> mesh =
      verified_mesh(points_of(surface), surface.triangles, surface.triangle_count);
  if (!mesh)
    return {
        "is not a manifold: an edge has more than two triangles or two of opposite orientation, or it meets "
        "itself in a vertex"};
  if (!CGAL::is_closed(*mesh)) return {"is not closed: an edge has a triangle on one side only"};
  std::vector<std::string> problems;
  std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> pairs;
  pmp::self_intersections(*mesh, std::back_inserter(pairs));
  if (!pairs.empty())
    problems.push_back(fmt::format("intersects itself: {} pairs of triangles, the first {} and {}",
                                   pairs.size(), pairs.front().first.idx(), pairs.front().second.idx()));
  else if (!pmp::does_bound_a_volume(*mesh) || !(pmp::volume(*mesh) > 0))
    problems.emplace_back("is not oriented outward");
  return problems;
}

// A closed, connected surface of genus 0 that is locally convex at every edge is convex [van Heijenoort
// 1952].
std::vector<std::string> convexity_problems(const asset::ConvexView& piece) {
  if (piece.vertex_count < 4 || piece.triangle_count < 4)
    return {fmt::format("has {} and {}: it encloses nothing",
                        counted(static_cast<std::size_t>(piece.vertex_count), "vertex", "vertices"),
                        counted(static_cast<std::size_t>(piece.triangle_count), "triangle"))};
  const std::vector<Point> points = points_of(piece);
  const std::optional<Mesh> mesh = verified_mesh(points, piece.triangles, piece.triangle_count);
  if (!mesh) return {"is not a manifold"};
  if (!CGAL::is_closed(*mesh)) return {"is not closed"};
  const auto euler = static_cast<long>(mesh->number_of_vertices()) -
                     static_cast<long>(mesh->number_of_edges()) + static_cast<long>(mesh->number_of_faces());
  if (euler != 2) return {fmt::format("has the Euler characteristic {}, not 2", euler)};
  for (const auto f : mesh->faces())  // exact test: hulls of faces that are flat up to rounding have slivers
    if (pmp::is_degenerate_triangle_face(f, *mesh)) return {fmt::format("triangle {} has no area", f.idx())};
  for (const auto h : mesh->halfedges()) {
    const auto apex = mesh->target(mesh->next(h)), opposite = mesh->target(mesh->next(mesh->opposite(h)));
    if (CGAL::orientation(mesh->point(mesh->source(h)), mesh->point(mesh->target(h)), mesh->point(apex),
                          mesh->point(opposite)) == CGAL::POSITIVE)
      return {fmt::format("is not convex at the edge from vertex {} to vertex {}", mesh->source(h).idx(),
                          mesh->target(h).idx())};
  }
  return {};
}

}  // namespace abut::preprocess
