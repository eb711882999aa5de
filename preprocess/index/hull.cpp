#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/convex_hull_3.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
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

// Exact. The points are different from one another.
bool coplanar(const std::vector<Point>& points) {
  if (points.size() < 4) return true;
  const auto corner = std::find_if(points.begin() + 2, points.end(),
                                   [&](const Point& p) { return !CGAL::collinear(points[0], points[1], p); });
  return std::all_of(corner, points.end(),
                     [&](const Point& p) { return CGAL::coplanar(points[0], points[1], *corner, p); });
}

TriangleMesh convex_hull(const std::vector<Point>& points) {
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

// The extreme points alone. A hull's vertex in the middle of a flat face or of a straight edge is no corner:
// fewer than three edges there bend. Exact.
std::vector<Point> extreme_points(const TriangleMesh& mesh) {
  std::vector<int> bends(mesh.vertices.size(), 0);
  std::vector<std::array<std::int32_t, 3>> edges;  // from, to, apex of the triangle on the left
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3], t[(k + 2) % 3]});
  std::sort(edges.begin(), edges.end());
  const auto point = [&](std::int32_t v) { return to_point(mesh.vertices[v]); };
  for (const auto& [a, b, left] : edges) {
    const std::int32_t right = (*std::lower_bound(edges.begin(), edges.end(), std::array{b, a, 0}))[2];
    // Its other half-edge counts for b.
    if (CGAL::orientation(point(a), point(b), point(left), point(right)) != CGAL::COPLANAR) ++bends[a];
  }
  std::vector<Point> points;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (bends[v] >= 3) points.push_back(to_point(mesh.vertices[v]));
  return points;
}

// Vertices along a Hilbert curve over the directions of their normals: on a convex surface, near there is
// near here.
TriangleMesh reorder(const TriangleMesh& mesh) {
  std::vector<Eigen::Vector3d> normals(mesh.vertices.size(), Eigen::Vector3d::Zero());
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d& a = mesh.vertices[t[0]];
    const Eigen::Vector3d normal = (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a);
    for (const std::int32_t v : t) normals[v] += normal;
  }
  std::vector<std::uint64_t> key(mesh.vertices.size());
  for (std::size_t v = 0; v < key.size(); ++v) key[v] = hilbert_key(normals[v]);
  std::vector<std::int32_t> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto position = [&](std::int32_t v) {
    const Eigen::Vector3d& p = mesh.vertices[v];
    return std::array{p.x(), p.y(), p.z()};
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair{key[a], position(a)} < std::pair{key[b], position(b)};
  });
  TriangleMesh result;
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::int32_t>(i);
    result.vertices.push_back(mesh.vertices[order[i]]);
  }
  for (Triangle t : mesh.triangles) {
    for (std::int32_t& v : t) v = place[v];
    // The smallest corner first, so that the order of the triangles does not hang on the hull algorithm's.
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    result.triangles.push_back(t);
  }
  std::sort(result.triangles.begin(), result.triangles.end());
  return result;
}

// Cells along an edge of the cube's faces: about four cells to a vertex. On the hulls of 15 YCB objects the
// climb from the cell's vertex then takes 0.3 steps on average (10 without the lookup, 0.6 with one cell to a
// vertex, 0.2 with nine), for 16 bytes a vertex.
std::int32_t lookup_resolution(std::size_t vertices) {
  const double k = 2 * std::sqrt(static_cast<double>(vertices) / 6);
  return std::clamp(static_cast<std::int32_t>(std::lround(k)), 2, 64);
}

// The cells' support vertices, each climbed to from the one of the cell before.
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

}  // namespace

asset::ConvexPiece build_convex_piece(std::span<const Eigen::Vector3d> input) {
  std::vector<Point> points;
  points.reserve(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (!input[i].allFinite())
      throw InvalidInput("convex hull: point " + std::to_string(i) + " is not finite");
    points.push_back(to_point(input[i]));
  }
  // In a fixed order, each once: the hull depends on the set alone.
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (coplanar(points))
    throw InvalidInput("convex hull: all of the " + std::to_string(points.size()) +
                       " different points lie in one plane");
  TriangleMesh hull = convex_hull(points);
  for (;;) {
    const std::vector<Point> corners = extreme_points(hull);
    if (corners.size() == hull.vertices.size()) break;
    hull = convex_hull(corners);
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
  return piece;
}

}  // namespace abut::preprocess
