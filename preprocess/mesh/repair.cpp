#include "preprocess/mesh/repair.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/border.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/repair_self_intersections.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Polygon_mesh_processing/stitch_borders.h>
#include <CGAL/Polygon_mesh_processing/triangulate_hole.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/alpha_wrap_3.h>
#include <CGAL/utility.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

namespace pmp = CGAL::Polygon_mesh_processing;

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using SurfaceMesh = CGAL::Surface_mesh<Point>;

// A hole's best triangulation is looked for among those of its Delaunay tetrahedra and, where these have
// none, among all, which costs the cube of the rim's edges: 5 s at 1,000. Longer rims forgo the latter.
constexpr std::size_t kMaxEdgesForCubic = 400;
// Faces that uniting parts may take up, all steps together: some 5 s.
constexpr std::size_t kMaxUnited = 1'500'000;

std::vector<Point> to_points(const TriangleMesh& mesh) {
  std::vector<Point> points;
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
  for (const Point& p : to_points(mesh)) out.add_vertex(p);
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
    const Point& p = mesh.point(v);
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

double rim_extent(const SurfaceMesh& mesh, SurfaceMesh::Halfedge_index rim, std::size_t& edges) {
  CGAL::Bbox_3 box;
  for (const auto h : CGAL::halfedges_around_face(rim, mesh)) {
    box += mesh.point(mesh.target(h)).bbox();
    ++edges;
  }
  return std::hypot(box.xmax() - box.xmin(), box.ymax() - box.ymin(), box.zmax() - box.zmin());
}

bool is_manifold(const TriangleMesh& mesh) { return pmp::is_polygon_soup_a_polygon_mesh(to_polygons(mesh)); }

}  // namespace

OrientedSoup orient_soup(const TriangleMesh& soup) {
  std::vector<Point> points = to_points(soup);
  auto polygons = to_polygons(soup);
  pmp::orient_polygon_soup(points, polygons);
  TriangleMesh oriented;
  oriented.vertices.resize(points.size());
  for (const auto& p : polygons) {
    oriented.triangles.push_back(
        {static_cast<std::int32_t>(p[0]), static_cast<std::int32_t>(p[1]), static_cast<std::int32_t>(p[2])});
  }
  const Components parts = find_components(oriented);
  // Copies of a vertex have its position: a face was turned if its first edge is none of those it had.
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
  // Orientation parts the faces along edges that have more than two; within each part they belong together
  // again.
  pmp::stitch_borders(surface, CGAL::parameters::apply_per_connected_component(true));
  result.mesh = to_triangle_mesh(surface);
  return result;
}

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
      result.largest_left = std::max(result.largest_left, extent);
    }
  }
  result.mesh = to_triangle_mesh(surface);
  return result;
}

std::vector<Triangle> triangulate_rim(const TriangleMesh& mesh, const std::vector<std::int32_t>& rim) {
  std::vector<Point> points;
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

std::optional<TriangleMesh> remove_self_intersections(const TriangleMesh& mesh, bool keep_genus) {
  SurfaceMesh surface = to_surface_mesh(mesh);
  try {
    if (!pmp::experimental::remove_self_intersections(surface,
                                                      CGAL::parameters::preserve_genus(keep_genus))) {
      return std::nullopt;
    }
  } catch (const CGAL::Failure_exception&) {
    return std::nullopt;
  }
  return to_triangle_mesh(surface);
}

namespace {

// Parts whose boxes overlap, directly or over others, in one group; groups and parts in ascending order.
std::vector<std::vector<std::int32_t>> group_by_boxes(const TriangleMesh& mesh, const Components& parts) {
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts);
  std::vector<std::vector<std::int32_t>> groups;
  std::vector<char> taken(boxes.size(), 0);
  for (std::int32_t p = 0; p < parts.count; ++p) {
    if (taken[p] != 0) continue;
    std::vector<std::int32_t> group{p};
    taken[p] = 1;
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::int32_t q = 0; q < parts.count; ++q) {
        if (taken[q] != 0 || !boxes[group[i]].intersects(boxes[q])) continue;
        taken[q] = 1;
        group.push_back(q);
      }
    }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

// Solids become one. `work` counts the faces that took part in a step, all steps together.
class SolidUniter {
 public:
  // Of solids that face outward: halves first, so that a face takes part in few steps. Empty where one cannot
  // be taken.
  std::optional<SurfaceMesh> unite(std::span<SurfaceMesh> solids) {
    if (solids.size() == 1) return std::move(solids.front());
    std::optional<SurfaceMesh> whole = unite(solids.first(solids.size() / 2));
    if (!whole) return std::nullopt;
    std::optional<SurfaceMesh> rest = unite(solids.subspan(solids.size() / 2));
    if (!rest || !take(*whole, *rest, false)) return std::nullopt;
    return whole;
  }

  // Each solid in turn is added to the first or, where `cavity` says so, taken from it.
  std::optional<SurfaceMesh> unite_in_turn(std::span<SurfaceMesh> solids, const std::vector<char>& cavity) {
    for (std::size_t i = 1; i < solids.size(); ++i)
      if (!take(solids.front(), solids[i], cavity[i] != 0)) return std::nullopt;
    return std::move(solids.front());
  }

 private:
  bool take(SurfaceMesh& whole, SurfaceMesh& solid, bool away) {
    work_ += whole.number_of_faces() + solid.number_of_faces();
    if (work_ > kMaxUnited) return false;
    const auto checked = CGAL::parameters::throw_on_self_intersection(true);
    return away ? pmp::corefine_and_compute_difference(whole, solid, whole, checked)
                : pmp::corefine_and_compute_union(whole, solid, whole, checked);
  }

  std::size_t work_ = 0;
};

}  // namespace

std::optional<TriangleMesh> unite_parts(const TriangleMesh& mesh) {
  const Components parts = find_components(mesh);
  const std::vector<double> volumes = part_volumes(mesh, parts);
  SolidUniter uniter;
  TriangleMesh result;
  for (std::vector<std::int32_t>& group : group_by_boxes(mesh, parts)) {
    // What holds a cavity is larger than it, and what floats in the cavity is smaller.
    std::stable_sort(group.begin(), group.end(), [&](std::int32_t p, std::int32_t q) {
      return std::abs(volumes[p]) > std::abs(volumes[q]);
    });
    std::vector<SurfaceMesh> solids;
    std::vector<char> cavity;
    for (const std::int32_t p : group) {
      std::vector<char> keep(mesh.triangles.size());
      for (std::size_t f = 0; f < keep.size(); ++f) keep[f] = parts.of_face[f] == p ? 1 : 0;
      solids.push_back(to_surface_mesh(select_faces(mesh, keep)));
      cavity.push_back(volumes[p] < 0 ? 1 : 0);
      if (group.size() == 1) break;
      if (pmp::does_self_intersect(solids.back())) return std::nullopt;
      if (cavity.back() != 0 && p != group.front()) pmp::reverse_face_orientations(solids.back());
    }
    const bool has_cavities = std::count(cavity.begin(), cavity.end(), 1) > 0;
    try {
      std::optional<SurfaceMesh> whole =
          has_cavities ? uniter.unite_in_turn(solids, cavity) : uniter.unite(solids);
      if (!whole) return std::nullopt;
      append_mesh(result, to_triangle_mesh(*whole));
    } catch (const std::exception&) {  // self-intersections, and what else the corefinement cannot do
      return std::nullopt;
    }
  }
  return result;
}

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

TriangleMesh wrap(const TriangleMesh& soup, double alpha, double offset) {
  SurfaceMesh out;
  CGAL::alpha_wrap_3(to_points(soup), to_polygons(soup), alpha, offset, out);
  return to_triangle_mesh(out);
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
