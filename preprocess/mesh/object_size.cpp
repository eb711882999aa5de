#include "preprocess/mesh/object_size.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "preprocess/mesh/intersect.h"
#include "preprocess/mesh/parts.h"
#include "preprocess/mesh/shells.h"

namespace abut::preprocess {
namespace {

using Box = Eigen::AlignedBox3d;

constexpr double kStretched = 2;      // least ratio of box to object at which outliers are ignored
constexpr double kLittleArea = 1e-3;  // share of the total area; parts with less together do not count
constexpr double kNeighbours = 0.5;   // extent of a stray vertex's neighbours, over that of all others

// Diagonal of the bounding box of all vertices except one, m.
double diagonal_without(const TriangleMesh& mesh, std::int32_t without) {
  Box box;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (static_cast<std::int32_t>(v) != without) box.extend(mesh.vertices[v]);
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

bool has_corner(const Triangle& t, std::int32_t vertex) {
  return std::find(t.begin(), t.end(), vertex) != t.end();
}

double span_of_neighbours(const TriangleMesh& mesh, std::int32_t vertex) {
  Box box;
  for (const Triangle& t : mesh.triangles) {
    if (!has_corner(t, vertex)) continue;
    for (const std::int32_t v : t)
      if (v != vertex) box.extend(mesh.vertices[v]);
  }
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

// Whether a face meets another except in shared vertices and edges; true for a degenerate face.
bool crosses(const TriangleMesh& mesh, std::size_t face) {
  const Triangle& t = mesh.triangles[face];
  const Corners c = corners_of(mesh, t);
  if (is_flat(c)) return true;
  const Box box = Box(c[0]).extend(c[1]).extend(c[2]);
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    const Triangle& u = mesh.triangles[f];
    const Corners d = corners_of(mesh, u);
    if (f == face || !box.intersects(Box(d[0]).extend(d[1]).extend(d[2])) || is_flat(d)) continue;
    if (meet_improperly(t, c, u, d)) return true;
  }
  return false;
}

// Diagonal of the bounding box of the largest parts, which have all but kLittleArea of the area, m.
double diagonal_of_large_parts(const TriangleMesh& mesh) {
  const Parts parts = measure_parts(mesh);
  const std::vector<Box> boxes = part_boxes(mesh, parts.of);
  std::vector<std::int32_t> order(parts.of.count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t p, std::int32_t q) { return parts.areas[p] > parts.areas[q]; });
  Box box;
  double area = 0;
  for (const std::int32_t p : order) {
    if (area >= (1 - kLittleArea) * parts.area) break;
    box.extend(boxes[p]);
    area += parts.areas[p];
  }
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

}  // namespace

std::optional<StrayVertex> find_stray_vertex(const TriangleMesh& mesh, double factor) {
  std::set<std::int32_t> extremes;
  for (int axis = 0; axis < 3; ++axis) {
    const auto [lo, hi] = std::minmax_element(
        mesh.vertices.begin(), mesh.vertices.end(),
        [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return a[axis] < b[axis]; });
    for (const auto at : {lo, hi}) extremes.insert(static_cast<std::int32_t>(at - mesh.vertices.begin()));
  }
  StrayVertex stray{-1, mesh.diagonal() / factor};
  for (const std::int32_t v : extremes) {
    const double others = diagonal_without(mesh, v);
    if (others > 0 && others < stray.others) stray = {v, others};
  }
  if (stray.vertex < 0 || span_of_neighbours(mesh, stray.vertex) > kNeighbours * stray.others)
    return std::nullopt;
  return stray;
}

bool is_sound_at(const TriangleMesh& mesh, std::int32_t vertex) {
  std::vector<std::size_t> faces;
  std::map<std::array<std::int32_t, 2>, std::array<int, 2>> edges;  // number of faces in either direction
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    if (has_corner(mesh.triangles[f], vertex)) faces.push_back(f);
  for (const std::size_t f : faces)
    for (int k = 0; k < 3; ++k) {
      const auto [lo, hi] = std::minmax(mesh.triangles[f][k], mesh.triangles[f][(k + 1) % 3]);
      edges[{lo, hi}] = {0, 0};
    }
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const auto [lo, hi] = std::minmax(t[k], t[(k + 1) % 3]);
      if (const auto edge = edges.find({lo, hi}); edge != edges.end()) ++edge->second[t[k] == lo ? 0 : 1];
    }
  const auto closed = [](const auto& edge) { return edge.second == std::array{1, 1}; };
  return std::all_of(edges.begin(), edges.end(), closed) &&
         std::none_of(faces.begin(), faces.end(), [&](std::size_t f) { return crosses(mesh, f); });
}

double object_size(const TriangleMesh& mesh) {
  const double diagonal = mesh.diagonal();
  double size = diagonal;
  if (const std::optional<StrayVertex> stray = find_stray_vertex(mesh, kStretched)) size = stray->others;
  const double large = diagonal_of_large_parts(mesh);
  return kStretched * large < diagonal ? std::min(size, large) : size;
}

}  // namespace abut::preprocess
