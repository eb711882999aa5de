#include "preprocess/remesh/quad_mesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

Vec3 normal(const Vec3& a, const Vec3& b, const Vec3& c) { return (b - a).cross(c - a).normalized(); }

// Whether to cut from corner 0 to corner 2 instead of from 1 to 3.
bool cut_first_diagonal(const QuadMesh& mesh, const Quad& q) {
  const Vec3 &a = mesh.vertices[q[0]], &b = mesh.vertices[q[1]], &c = mesh.vertices[q[2]],
             &d = mesh.vertices[q[3]];
  const double first = normal(a, b, c).dot(normal(a, c, d)), second = normal(a, b, d).dot(normal(b, c, d));
  constexpr double kFlat = 1e-6;
  if (std::abs(first - second) > kFlat) return first > second;
  return (c - a).squaredNorm() <= (d - b).squaredNorm();
}

}  // namespace

Eigen::Vector3d vector_area(const QuadMesh& mesh, const Quad& q) {
  return (mesh.vertices[q[2]] - mesh.vertices[q[0]]).cross(mesh.vertices[q[3]] - mesh.vertices[q[1]]) / 2;
}

Eigen::Vector3d centre(const QuadMesh& mesh, const Quad& q) {
  return (mesh.vertices[q[0]] + mesh.vertices[q[1]] + mesh.vertices[q[2]] + mesh.vertices[q[3]]) / 4;
}

TriangleMesh triangulate(const QuadMesh& mesh) {
  TriangleMesh result;
  result.vertices = mesh.vertices;
  result.triangles.reserve(2 * mesh.quads.size());
  std::unordered_set<std::uint64_t> taken;
  for (const Quad& q : mesh.quads)
    for (int k = 0; k < 4; ++k) taken.insert(undirected(q[k], q[(k + 1) % 4]));
  for (const Quad& q : mesh.quads) {
    bool first = cut_first_diagonal(mesh, q);
    if (taken.contains(undirected(q[first ? 0 : 1], q[first ? 2 : 3]))) first = !first;
    taken.insert(undirected(q[first ? 0 : 1], q[first ? 2 : 3]));
    if (first) {
      result.triangles.push_back({q[0], q[1], q[2]});
      result.triangles.push_back({q[0], q[2], q[3]});
    } else {
      result.triangles.push_back({q[0], q[1], q[3]});
      result.triangles.push_back({q[1], q[2], q[3]});
    }
  }
  return result;
}

std::vector<std::int32_t> valences(const QuadMesh& mesh) {
  std::vector<std::int32_t> result(mesh.vertices.size(), 0);
  for (const Quad& q : mesh.quads)
    for (const std::int32_t v : q) ++result[v];
  return result;
}

std::string find_topological_fault(const QuadMesh& mesh) {
  if (mesh.quads.empty()) return "no quads";
  std::unordered_map<std::uint64_t, std::int32_t> edges;  // directed edge -> quad
  edges.reserve(8 * mesh.quads.size());
  const auto count = static_cast<std::int32_t>(mesh.vertices.size());
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(mesh.quads.size()); ++f) {
    const Quad& q = mesh.quads[f];
    for (int k = 0; k < 4; ++k) {
      if (q[k] < 0 || q[k] >= count) return fmt::format("quad {} has a corner out of range", f);
      for (int j = 0; j < k; ++j)
        if (q[j] == q[k]) return fmt::format("quad {} has the vertex {} twice", f, q[k]);
    }
    for (int k = 0; k < 4; ++k)
      if (!edges.emplace(directed(q[k], q[(k + 1) % 4]), f).second)
        return fmt::format("the edge from vertex {} to {} has two quads on one side", q[k], q[(k + 1) % 4]);
  }
  const std::vector<std::int32_t> valence = valences(mesh);
  std::vector<char> seen(mesh.vertices.size(), 0);
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(mesh.quads.size()); ++f) {
    for (int k = 0; k < 4; ++k) {
      const std::int32_t v = mesh.quads[f][k];
      if (seen[v] != 0) continue;
      seen[v] = 1;
      if (valence[v] < 3) return fmt::format("vertex {} is a doublet: it has {} quads", v, valence[v]);
      // Walk once around v: the quads of its fan.
      std::int32_t at = f, turned = 0;
      do {
        const Quad& q = mesh.quads[at];
        const auto j = std::find(q.begin(), q.end(), v) - q.begin();
        const auto next = edges.find(directed(v, q[(j + 3) % 4]));
        if (next == edges.end())
          return fmt::format("the edge from vertex {} to {} has no other side", v, q[(j + 3) % 4]);
        at = next->second;
      } while (++turned <= valence[v] && at != f);
      if (turned != valence[v]) return fmt::format("vertex {} has more than one fan of quads", v);
    }
  }
  return {};
}

}  // namespace abut::preprocess
