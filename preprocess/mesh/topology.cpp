#include "preprocess/mesh/topology.h"

#include <algorithm>
#include <tuple>

namespace abut::preprocess {
namespace {

// The side of an edge that belongs to one face.
struct Side {
  std::int32_t lo, hi, face, corner;
};

// All sides, sorted by the edge's vertices, so that the two sides of an edge are adjacent.
std::vector<Side> sorted_sides(const TriangleMesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.triangles[f][k], b = mesh.triangles[f][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(f), k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& s, const Side& t) {
    return std::tie(s.lo, s.hi, s.face) < std::tie(t.lo, t.hi, t.face);
  });
  return sides;
}

}  // namespace

Topology topology_of(const TriangleMesh& mesh) {
  const std::vector<Side> sides = sorted_sides(mesh);
  Topology t;
  t.face_edges.resize(mesh.triangles.size());
  t.first.assign(mesh.vertices.size() + 1, 0);
  for (std::size_t i = 0; i + 1 < sides.size(); i += 2) {
    const auto e = static_cast<std::int32_t>(t.edges.size());
    t.edges.push_back({{sides[i].lo, sides[i].hi}, {sides[i].face, sides[i + 1].face}});
    t.face_edges[sides[i].face][sides[i].corner] = e;
    t.face_edges[sides[i + 1].face][sides[i + 1].corner] = e;
    ++t.first[sides[i].lo + 1];
    ++t.first[sides[i].hi + 1];
  }
  for (std::size_t v = 1; v < t.first.size(); ++v) t.first[v] += t.first[v - 1];
  t.incident.resize(2 * t.edges.size());
  std::vector<std::int32_t> next(t.first.begin(), t.first.end() - 1);
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    for (const std::int32_t v : t.edges[e].vertex) t.incident[next[v]++] = static_cast<std::int32_t>(e);
  }
  return t;
}

}  // namespace abut::preprocess
