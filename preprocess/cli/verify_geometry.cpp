#include "preprocess/cli/verify_geometry.h"

#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/convex_hull_3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/core/counted.h"

namespace abut::preprocess {
namespace {

namespace pmp = CGAL::Polygon_mesh_processing;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Mesh = CGAL::Surface_mesh<Point>;

// Of a hull's triangle, relative to its size squared: below what rounding leaves of a sliver. Constructions
// on less divide by nothing.
constexpr double kLeastArea = 1e-30;

// None where the triangles are not a manifold.
std::optional<Mesh> to_mesh(const std::vector<Point>& points, const std::int32_t* triangles,
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

}  // namespace

std::vector<std::string> solid_problems(const asset::SurfaceView& surface) {
  const std::optional<Mesh> mesh = to_mesh(points_of(surface), surface.triangles, surface.triangle_count);
  if (!mesh) return {"is not a manifold: an edge has more than two triangles or two of opposite orientation"};
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

// Closed, connected, of genus 0 and locally convex at every edge: then it is convex [van Heijenoort 1952].
std::vector<std::string> convexity_problems(const asset::ConvexView& piece) {
  if (piece.vertex_count < 4 || piece.triangle_count < 4)
    return {fmt::format("has {} and {}: it encloses nothing",
                        counted(static_cast<std::size_t>(piece.vertex_count), "vertex", "vertices"),
                        counted(static_cast<std::size_t>(piece.triangle_count), "triangle"))};
  const std::vector<Point> points = points_of(piece);
  const std::optional<Mesh> mesh = to_mesh(points, piece.triangles, piece.triangle_count);
  if (!mesh) return {"is not a manifold"};
  if (!CGAL::is_closed(*mesh)) return {"is not closed"};
  const auto euler = static_cast<long>(mesh->number_of_vertices()) -
                     static_cast<long>(mesh->number_of_edges()) + static_cast<long>(mesh->number_of_faces());
  if (euler != 2) return {fmt::format("has the Euler characteristic {}, not 2", euler)};
  const CGAL::Bbox_3 box = CGAL::bbox_3(points.begin(), points.end());
  const double size = box.max(0) - box.min(0) + box.max(1) - box.min(1) + box.max(2) - box.min(2);
  for (const auto f : mesh->faces())
    if (const double area = pmp::face_area(f, *mesh); !(area > kLeastArea * size * size))
      return {fmt::format("triangle {} has no area", f.idx())};
  for (const auto h : mesh->halfedges()) {
    const auto apex = mesh->target(mesh->next(h)), opposite = mesh->target(mesh->next(mesh->opposite(h)));
    if (CGAL::orientation(mesh->point(mesh->source(h)), mesh->point(mesh->target(h)), mesh->point(apex),
                          mesh->point(opposite)) == CGAL::POSITIVE)
      return {fmt::format("is not convex at the edge from vertex {} to vertex {}", mesh->source(h).idx(),
                          mesh->target(h).idx())};
  }
  return {};
}

double protrusion(const asset::SurfaceView& surface, const asset::ConvexView& piece) {
  const std::optional<Mesh> hull = to_mesh(points_of(piece), piece.triangles, piece.triangle_count);
  if (!hull) return 0;  // reported by convexity_problems
  using Primitive = CGAL::AABB_face_graph_triangle_primitive<Mesh>;
  const CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>> tree(faces(*hull).first, faces(*hull).second,
                                                                   *hull);
  const CGAL::Side_of_triangle_mesh<Mesh, Kernel> side(*hull);
  // What sticks out furthest is a vertex of the surface's own hull.
  Mesh outer;
  const std::vector<Point> points = points_of(surface);
  CGAL::convex_hull_3(points.begin(), points.end(), outer);
  double furthest = 0;
  for (const auto v : outer.vertices()) {
    const Point& p = outer.point(v);
    if (side(p) == CGAL::ON_UNBOUNDED_SIDE)
      furthest = std::max(furthest, std::sqrt(tree.squared_distance(p)));
  }
  return furthest;
}

}  // namespace abut::preprocess
