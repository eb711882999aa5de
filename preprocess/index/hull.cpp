#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/convex_hull_3.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "preprocess/index/hilbert.h"
#include "preprocess/index/index.h"
#include "runtime/core/error.h"
#include "runtime/witness/direction_cell.h"
#include "runtime/witness/support.h"

namespace abut::preprocess {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using HullMesh = CGAL::Surface_mesh<Point>;

// Whether all points are coplanar (exact predicates). The points must be distinct.
bool coplanar(const std::vector<Point>& points) {
  if (points.size() < 4) return true;
  const auto corner = std::find_if(points.begin() + 2, points.end(),
                                   [&](const Point& p) { return !CGAL::collinear(points[0], points[1], p); });
  return std::all_of(corner, points.end(),
                     [&](const Point& p) { return CGAL::coplanar(points[0], points[1], *corner, p); });
}

// The hull of distinct points that are not coplanar.
TriangleMesh hull_of(const std::vector<Point>& points) {
  HullMesh hull;
  CGAL::convex_hull_3(points.begin(), points.end(), hull);
  TriangleMesh mesh;
  for (const auto v : hull.vertices()) {
    const Point& p = hull.point(v);
    mesh.vertices.emplace_back(p.x(), p.y(), p.z());
  }
  for (const auto f : hull.faces()) {
    Triangle triangle;
    int k = 0;
    for (const auto v : hull.vertices_around_face(hull.halfedge(f)))
      triangle[k++] = static_cast<std::int32_t>(v);
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

Point to_point(const Eigen::Vector3d& p) { return {p.x(), p.y(), p.z()}; }

// The distinct points in a fixed order, so that the hull depends only on the set.
std::vector<Point> point_set(std::span<const Eigen::Vector3d> input) {
  std::vector<Point> points;
  points.reserve(input.size());
  for (const Eigen::Vector3d& p : input) points.push_back(to_point(p));
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// Neighbours of every vertex, ascending, in compressed rows.
void build_adjacency(const TriangleMesh& mesh, asset::ConvexPiece& piece) {
  std::vector<std::vector<std::int32_t>> rows(mesh.vertices.size());
  // Each edge borders two triangles with opposite orientation: every neighbour is met exactly once.
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) rows[t[k]].push_back(t[(k + 1) % 3]);
  piece.adjacency_offsets.assign(1, 0);
  for (std::vector<std::int32_t>& row : rows) {
    std::sort(row.begin(), row.end());
    piece.adjacency.insert(piece.adjacency.end(), row.begin(), row.end());
    piece.adjacency_offsets.push_back(static_cast<std::int32_t>(piece.adjacency.size()));
  }
}

// Only the extreme points. A hull vertex inside a flat face or a straight edge is not a corner: fewer than
// three of its edges are bent. Exact.
std::vector<Point> extreme_points(const TriangleMesh& mesh) {
  std::vector<int> bends(mesh.vertices.size(), 0);
  std::vector<std::array<std::int32_t, 3>> edges;  // from, to, apex of the triangle on the left
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3], t[(k + 2) % 3]});
  std::sort(edges.begin(), edges.end());
  const auto point = [&](std::int32_t v) { return to_point(mesh.vertices[v]); };
  for (const auto& [a, b, left] : edges) {
    const std::int32_t right = (*std::lower_bound(edges.begin(), edges.end(), std::array{b, a, 0}))[2];
    // The opposite half-edge counts for b.
    if (CGAL::orientation(point(a), point(b), point(left), point(right)) != CGAL::COPLANAR) ++bends[a];
  }
  std::vector<Point> points;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (bends[v] >= 3) points.push_back(to_point(mesh.vertices[v]));
  return points;
}

// Vertices in ascending order of their keys; triangles starting with the smallest corner, ascending: an order
// independent of the hull algorithm.
template <class Key>
TriangleMesh renumbered(const TriangleMesh& mesh, Key&& key) {
  std::vector<std::int32_t> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  TriangleMesh result;
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::int32_t>(i);
    result.vertices.push_back(mesh.vertices[order[i]]);
  }
  for (Triangle t : mesh.triangles) {
    for (std::int32_t& v : t) v = place[v];
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    result.triangles.push_back(t);
  }
  std::sort(result.triangles.begin(), result.triangles.end());
  return result;
}

std::array<double, 3> position(const TriangleMesh& mesh, std::int32_t v) {
  const Eigen::Vector3d& p = mesh.vertices[v];
  return {p.x(), p.y(), p.z()};
}

// Orders vertices along a Hilbert curve over the directions of their normals: on a convex surface, vertices
// close in that order are close in space.
TriangleMesh reorder(const TriangleMesh& mesh) {
  std::vector<Eigen::Vector3d> normals(mesh.vertices.size(), Eigen::Vector3d::Zero());
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d& a = mesh.vertices[t[0]];
    const Eigen::Vector3d normal = (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a);
    for (const std::int32_t v : t) normals[v] += normal;
  }
  std::vector<std::uint64_t> key(mesh.vertices.size());
  for (std::size_t v = 0; v < key.size(); ++v) key[v] = hilbert_key(normals[v]);
  return renumbered(mesh, [&](std::int32_t v) { return std::pair{key[v], position(mesh, v)}; });
}

// Resolution of the lookup table: number of cells along an edge of the cube's faces, about nine cells for
// each vertex. On the reference queries between the hulls of 15 YCB objects a cold query then takes 4 % fewer
// instructions than with four cells for each vertex.
std::int32_t lookup_resolution(std::size_t vertices) {
  const double k = 3 * std::sqrt(static_cast<double>(vertices) / 6);
  return std::clamp(static_cast<std::int32_t>(std::lround(k)), 2, 96);
}

// The support vertex of each cell, found by hill climbing from that of the previous cell.
std::vector<std::int32_t> build_lookup(const asset::ConvexPiece& piece, std::int32_t k) {
  const asset::ConvexView hull = view(piece);
  std::vector<std::int32_t> lookup(6 * k * k);
  std::int32_t at = 0;
  for (std::int32_t cell = 0; cell < 6 * k * k; ++cell) {
    at = witness::support<double>(hull, witness::cell_direction<double>(cell, k), at).index;
    lookup[cell] = at;
  }
  return lookup;
}

using Polygon = std::vector<Eigen::Vector2d>;

// The part of a convex polygon where a u + b v + c <= 0.
Polygon clip(const Polygon& polygon, double a, double b, double c) {
  Polygon result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Eigen::Vector2d &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double f = a * p.x() + b * p.y() + c, g = a * q.x() + b * q.y() + c;
    if (f <= 0) result.push_back(p);
    if ((f <= 0) != (g <= 0)) result.push_back(p + f / (f - g) * (q - p));
  }
  return result;
}

// The support vertices of a cell's directions are connected: a walk from that of the cell's centre finds all
// of them.
void build_candidates(asset::ConvexPiece& piece) {
  const asset::ConvexView c = view(piece);
  const std::size_t cells = piece.support_lookup.size();
  double size = 0;
  for (const double x : piece.vertices) size = std::max(size, std::abs(x));
  std::vector<std::size_t> met(static_cast<std::size_t>(c.vertex_count), cells);  // last cell that met it
  std::vector<std::int32_t> candidates;
  piece.candidate_offsets.assign(1, 0);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    candidates.assign(1, piece.support_lookup[cell]);
    met[static_cast<std::size_t>(candidates.front())] = cell;
    for (std::size_t next = 0; next < candidates.size(); ++next) {
      for (std::int32_t e = c.adjacency_offsets[candidates[next]];
           e < c.adjacency_offsets[candidates[next] + 1]; ++e) {
        const std::int32_t w = c.adjacency[e];
        if (std::exchange(met[static_cast<std::size_t>(w)], cell) == cell) continue;
        if (supports_in_cell(c, w, static_cast<std::int32_t>(cell), 1e-14 * size)) candidates.push_back(w);
      }
    }
    piece.candidates.insert(piece.candidates.end(), candidates.begin(), candidates.end());
    piece.candidate_offsets.push_back(static_cast<std::int32_t>(piece.candidates.size()));
  }
}

}  // namespace

bool supports_in_cell(const asset::ConvexView& c, std::int32_t vertex, std::int32_t cell, double slack) {
  constexpr double kWiden = 1e-6;
  const std::int32_t k = c.lookup_resolution, face = cell / (k * k), axis = face / 2;
  const double *along = std::array{c.x, c.y, c.z}[axis], *x = std::array{c.x, c.y, c.z}[(axis + 1) % 3],
               *y = std::array{c.x, c.y, c.z}[(axis + 2) % 3];
  const double sign = face % 2 == 0 ? 1 : -1;
  const auto bound = [&](std::int32_t i) { return 2.0 * i / k - 1; };
  const std::int32_t i = cell % k, j = cell / k % k;
  const double u0 = bound(i) - kWiden, u1 = bound(i + 1) + kWiden;
  const double v0 = bound(j) - kWiden, v1 = bound(j + 1) + kWiden;
  Polygon where{{u0, v0}, {u1, v0}, {u1, v1}, {u0, v1}};
  for (std::int32_t e = c.adjacency_offsets[vertex]; e < c.adjacency_offsets[vertex + 1]; ++e) {
    const std::int32_t w = c.adjacency[e];
    where = clip(where, x[w] - x[vertex], y[w] - y[vertex], sign * (along[w] - along[vertex]) - slack);
    if (where.empty()) return false;
  }
  return true;
}

TriangleMesh convex_hull(std::span<const Eigen::Vector3d> input) {
  const std::vector<Point> points = point_set(input);
  if (coplanar(points)) return {};
  const TriangleMesh hull = hull_of(points);
  return renumbered(hull, [&](std::int32_t v) { return position(hull, v); });
}

asset::ConvexPiece build_convex_piece(std::span<const Eigen::Vector3d> input) {
  for (std::size_t i = 0; i < input.size(); ++i)
    if (!input[i].allFinite())
      throw InvalidInput("convex hull: point " + std::to_string(i) + " is not finite");
  const std::vector<Point> points = point_set(input);
  if (coplanar(points))
    throw InvalidInput("convex hull: all of the " + std::to_string(points.size()) +
                       " different points lie in one plane");
  TriangleMesh hull = hull_of(points);
  for (;;) {
    const std::vector<Point> corners = extreme_points(hull);
    if (corners.size() == hull.vertices.size()) break;
    hull = hull_of(corners);
  }
  hull = reorder(hull);

  asset::ConvexPiece piece;
  const std::size_t size = hull.vertices.size();
  piece.vertices.resize(3 * size);
  for (std::size_t v = 0; v < size; ++v)
    for (int axis = 0; axis < 3; ++axis) piece.vertices[axis * size + v] = hull.vertices[v][axis];
  for (const Triangle& t : hull.triangles) piece.triangles.insert(piece.triangles.end(), t.begin(), t.end());
  build_adjacency(hull, piece);
  piece.support_lookup = build_lookup(piece, lookup_resolution(size));
  build_candidates(piece);
  return piece;
}

}  // namespace abut::preprocess
