#include "preprocess/mesh/cut_loops.h"

#include <algorithm>
#include <map>
#include <set>

#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

using FacesAt = std::vector<std::vector<std::int32_t>>;  // per vertex

// Successor of each vertex along the boundary of a set of faces; empty if the boundary passes through a
// vertex twice.
std::map<std::int32_t, std::int32_t> rim_of(const TriangleMesh& mesh,
                                            const std::vector<std::int32_t>& faces) {
  std::set<std::pair<std::int32_t, std::int32_t>> directed;
  for (const std::int32_t f : faces) {
    for (int k = 0; k < 3; ++k) directed.emplace(mesh.triangles[f][k], mesh.triangles[f][(k + 1) % 3]);
  }
  std::map<std::int32_t, std::int32_t> rim;
  for (const auto& [from, to] : directed) {
    if (directed.contains({to, from})) continue;
    if (!rim.emplace(from, to).second) return {};
  }
  return rim;
}

std::size_t count_cycles(std::map<std::int32_t, std::int32_t> rim) {
  std::size_t cycles = 0;
  while (!rim.empty()) {
    ++cycles;
    for (auto at = rim.begin(); at != rim.end();) {
      const std::int32_t to = at->second;
      rim.erase(at);
      at = rim.find(to);
    }
  }
  return cycles;
}

// The faces around a loop, if they form an annulus whose two rims pass through no vertex twice.
std::vector<std::int32_t> ring_of(const TriangleMesh& mesh, const FacesAt& faces_at, const Loop& loop) {
  std::vector<std::int32_t> ring;
  for (const std::int32_t v : loop.vertices) ring.insert(ring.end(), faces_at[v].begin(), faces_at[v].end());
  std::sort(ring.begin(), ring.end());
  ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
  return count_cycles(rim_of(mesh, ring)) == 2 ? ring : std::vector<std::int32_t>{};
}

// The faces at corner v to the left of the loop's path u -> v -> w, from the face of v -> w around v to that
// of u -> v.
std::vector<std::int32_t> left_fan(const TriangleMesh& mesh, const std::vector<std::int32_t>& faces,
                                   std::int32_t u, std::int32_t v, std::int32_t w) {
  std::vector<std::int32_t> fan;
  for (std::int32_t to = w; to != u && fan.size() <= faces.size();) {
    for (const std::int32_t f : faces) {
      const Triangle& t = mesh.triangles[f];
      const auto k = std::find(t.begin(), t.end(), v) - t.begin();
      if (t[(k + 1) % 3] != to) continue;
      fan.push_back(f);
      to = t[(k + 2) % 3];
      break;
    }
  }
  return fan;
}

// Gives the faces to the left of the loop vertices of their own and draws the two sides slightly apart.
void slit(const TriangleMesh& mesh, const FacesAt& faces_at, const Loop& loop, TriangleMesh& out) {
  constexpr double kApart =
      0.4;  // of the way to the neighbours: enough to keep the caps of a non-planar loop apart
  const auto& path = loop.vertices;
  const std::size_t n = path.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t v = path[i];
    const std::vector<std::int32_t> left =
        left_fan(mesh, faces_at[v], path[(i + n - 1) % n], v, path[(i + 1) % n]);
    const auto copy = static_cast<std::int32_t>(out.vertices.size());
    Eigen::Vector3d sum[2] = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    double count[2] = {0, 0};
    for (const std::int32_t f : faces_at[v]) {
      const bool on_left = std::find(left.begin(), left.end(), f) != left.end();
      for (const std::int32_t q : mesh.triangles[f]) {
        if (q != v) sum[on_left] += mesh.vertices[q];
      }
      count[on_left] += 2;
      if (on_left) std::replace(out.triangles[f].begin(), out.triangles[f].end(), v, copy);
    }
    const Eigen::Vector3d& at = mesh.vertices[v];
    const auto drawn = [&](int k) -> Eigen::Vector3d {
      return at + kApart * (sum[k] / std::max(count[k], 1.0) - at);
    };
    out.vertices.push_back(drawn(1));
    out.vertices[v] = drawn(0);
  }
}

}  // namespace

TriangleMesh cut_loops(const TriangleMesh& mesh, const std::vector<Loop>& loops,
                       const std::vector<Cut>& cuts) {
  FacesAt faces_at(mesh.vertices.size());
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    for (const std::int32_t v : mesh.triangles[f]) faces_at[v].push_back(static_cast<std::int32_t>(f));
  }
  TriangleMesh out = mesh;
  std::vector<char> keep(mesh.triangles.size(), 1);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (cuts[i] == Cut::kNone) continue;
    const std::vector<std::int32_t> ring =
        cuts[i] == Cut::kRing ? ring_of(mesh, faces_at, loops[i]) : std::vector<std::int32_t>{};
    for (const std::int32_t f : ring) keep[f] = 0;
    if (ring.empty()) slit(mesh, faces_at, loops[i], out);
  }
  return select_faces(out, keep);
}

}  // namespace abut::preprocess
