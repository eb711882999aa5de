#include "preprocess/mesh/seams.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "preprocess/mesh/box_tree.h"
#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

constexpr int kEdgesOfAFace = 3;
// Number of open edges that a larger gap must remove for each additional face that it collapses.
constexpr std::size_t kOpenEdgesAFace = 4;

using Edge = std::array<std::int32_t, 2>;

struct OnEdge {
  double place;  // 0 at the edge's first vertex, 1 at its second
  std::int32_t vertex;
  bool operator<(const OnEdge& other) const { return place < other.place; }
};

// For each open edge the vertices of others that lie on it, ordered from its first vertex to its second.
std::vector<std::vector<OnEdge>> vertices_on(const TriangleMesh& mesh, const std::vector<Edge>& open,
                                             double tolerance) {
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(tolerance);
  std::vector<BoxTree::Box> boxes;
  std::vector<std::int32_t> rim;
  for (const Edge& edge : open) {
    const BoxTree::Box box = BoxTree::Box(mesh.vertices[edge[0]]).extend(mesh.vertices[edge[1]]);
    boxes.emplace_back(box.min() - margin, box.max() + margin);
    rim.insert(rim.end(), edge.begin(), edge.end());
  }
  std::sort(rim.begin(), rim.end());
  rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
  BoxTree tree;
  tree.build(boxes);
  std::vector<std::vector<OnEdge>> on(open.size());
  for (const std::int32_t v : rim) {
    const Eigen::Vector3d& p = mesh.vertices[v];
    tree.any([&](const BoxTree::Box& box) { return box.contains(p); },
             [&](std::int32_t e) {
               const Eigen::Vector3d &a = mesh.vertices[open[e][0]], &b = mesh.vertices[open[e][1]];
               if (std::min((p - a).norm(), (p - b).norm()) <= tolerance) return false;
               const double place = (b - a).dot(p - a) / (b - a).squaredNorm();
               if (place > 0 && place < 1 && (p - a - place * (b - a)).norm() <= tolerance)
                 on[e].push_back({place, v});
               return false;
             });
  }
  for (auto& vertices : on) std::sort(vertices.begin(), vertices.end());
  return on;
}

// Splits at most one edge of each face.
std::size_t split_once(TriangleMesh& mesh, double tolerance) {
  const std::vector<Edge> open = open_edges(mesh);  // ascending
  const std::vector<std::vector<OnEdge>> on = vertices_on(mesh, open, tolerance);
  std::size_t split = 0;
  const std::size_t faces = mesh.triangles.size();
  for (std::size_t f = 0; f < faces; ++f) {
    const Triangle t = mesh.triangles[f];
    for (int k = 0; k < kEdgesOfAFace; ++k) {
      const std::int32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
      const Edge edge{std::min(a, b), std::max(a, b)};
      const auto found = std::lower_bound(open.begin(), open.end(), edge);
      if (found == open.end() || *found != edge) continue;
      std::vector<std::int32_t> chain;
      for (const OnEdge& at : on[found - open.begin()]) chain.push_back(at.vertex);
      if (chain.empty() || std::find(chain.begin(), chain.end(), c) != chain.end()) continue;
      if (a > b) std::reverse(chain.begin(), chain.end());
      chain.push_back(b);
      mesh.triangles[f] = {a, chain.front(), c};
      for (std::size_t i = 0; i + 1 < chain.size(); ++i)
        mesh.triangles.push_back({chain[i], chain[i + 1], c});
      ++split;
      break;
    }
  }
  return split;
}

}  // namespace

std::size_t split_rims(TriangleMesh& mesh, double tolerance) {
  TriangleMesh result = mesh;
  std::size_t split = 0;
  for (int round = 0; round < kEdgesOfAFace; ++round) {
    const std::size_t n = split_once(result, tolerance);
    if (n == 0) break;
    split += n;
  }
  if (split == 0 || count_open_edges(result) >= count_open_edges(mesh)) return 0;
  mesh = std::move(result);
  return split;
}

double join_rims(TriangleMesh& mesh, double least, double most, double area_change) {
  const TriangleMesh loose = mesh;
  const double before = area(loose);
  std::size_t fewest = count_open_edges(loose), faces = loose.triangles.size();
  double best = 0;
  for (double gap = 2 * least; gap <= most && fewest > 0; gap *= 2) {
    TriangleMesh joined = loose;
    weld_rims(joined, gap);
    if (std::abs(area(joined) - before) > area_change * before) break;
    const std::size_t open = count_open_edges(joined);
    const std::size_t collapsed = faces - std::min(faces, joined.triangles.size());
    if (open >= fewest || fewest - open < kOpenEdgesAFace * collapsed) continue;
    fewest = open;
    faces = joined.triangles.size();
    best = gap;
    mesh = std::move(joined);
  }
  return best;
}

}  // namespace abut::preprocess
