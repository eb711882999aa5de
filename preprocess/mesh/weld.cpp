#include "preprocess/mesh/weld.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <numeric>

#include "runtime/core/disjoint_sets.h"

namespace abut::preprocess {
namespace {

std::uint64_t mix(std::uint64_t h) {  // the finaliser of splitmix64
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  return h ^ (h >> 31);
}

std::uint64_t hash_position(const Eigen::Vector3d& v) {
  std::uint64_t h = 0;
  for (int k = 0; k < 3; ++k) h = mix(h + 0x9e3779b97f4a7c15ULL + std::bit_cast<std::uint64_t>(v[k] + 0.0));
  return h;
}

struct Edge {
  std::int32_t lo, hi;
  bool operator==(const Edge&) const = default;
  bool operator<(const Edge& o) const { return lo != o.lo ? lo < o.lo : hi < o.hi; }
};

Edge make_edge(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

std::vector<Edge> sorted_edges(const TriangleMesh& mesh) {
  std::vector<Edge> edges;
  edges.reserve(mesh.triangles.size() * 3);
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      if (t[k] != t[(k + 1) % 3]) edges.push_back(make_edge(t[k], t[(k + 1) % 3]));
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

// A triangle's vertices in ascending order, and whether that order is an even permutation of the original.
struct Sorted {
  Triangle key;
  bool even;
};

Sorted sort_corners(Triangle t) {
  bool even = true;
  const auto order = [&](int i, int j) {
    if (t[i] > t[j]) {
      std::swap(t[i], t[j]);
      even = !even;
    }
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  return {t, even};
}

}  // namespace

WeldedSoup weld(const TriangleMesh& soup) {
  WeldedSoup out;
  const std::size_t n = soup.vertices.size();
  out.vertex_of.assign(n, -1);
  std::vector<std::int32_t> table(std::bit_ceil(2 * n + 2), -1);  // open addressing
  const std::size_t mask = table.size() - 1;
  const auto welded = [&](std::int32_t v) {
    if (out.vertex_of[v] >= 0) return out.vertex_of[v];
    const Eigen::Vector3d& position = soup.vertices[v];
    std::size_t slot = hash_position(position) & mask;
    while (table[slot] >= 0 && out.mesh.vertices[table[slot]] != position) slot = (slot + 1) & mask;
    if (table[slot] < 0) {
      table[slot] = static_cast<std::int32_t>(out.mesh.vertices.size());
      out.mesh.vertices.push_back(position);
    } else {
      ++out.seam_vertices;
    }
    return out.vertex_of[v] = table[slot];
  };
  out.mesh.triangles.reserve(soup.triangles.size());
  for (const Triangle& t : soup.triangles) {
    const std::int32_t a = welded(t[0]), b = welded(t[1]), c = welded(t[2]);
    out.mesh.triangles.push_back({a, b, c});
  }
  return out;
}

std::size_t drop_collapsed(TriangleMesh& mesh) {
  return std::erase_if(mesh.triangles,
                       [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
}

std::size_t weld_rims(TriangleMesh& mesh, double tolerance) {
  std::vector<std::int32_t> rim;
  for (const auto& edge : open_edges(mesh)) rim.insert(rim.end(), edge.begin(), edge.end());
  std::sort(rim.begin(), rim.end());
  rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
  // Sweep along x: each vertex is merged into the first close one, in that order.
  std::sort(rim.begin(), rim.end(), [&](std::int32_t a, std::int32_t b) {
    return mesh.vertices[a].x() != mesh.vertices[b].x() ? mesh.vertices[a].x() < mesh.vertices[b].x() : a < b;
  });
  std::vector<std::int32_t> target(mesh.vertices.size());
  std::iota(target.begin(), target.end(), 0);
  std::size_t merged = 0;
  for (std::size_t i = 0; i < rim.size(); ++i) {
    if (target[rim[i]] != rim[i]) continue;
    const Eigen::Vector3d& at = mesh.vertices[rim[i]];
    for (std::size_t j = i + 1; j < rim.size() && mesh.vertices[rim[j]].x() - at.x() <= tolerance; ++j) {
      if (target[rim[j]] != rim[j] || (mesh.vertices[rim[j]] - at).norm() > tolerance) continue;
      target[rim[j]] = rim[i];
      ++merged;
    }
  }
  for (Triangle& t : mesh.triangles) {
    for (std::int32_t& v : t) v = target[v];
  }
  drop_collapsed(mesh);
  return merged;
}

Coincident cancel_coincident(TriangleMesh& mesh) {
  const std::size_t n = mesh.triangles.size();
  std::vector<Sorted> sorted(n);
  std::vector<std::int32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = sort_corners(mesh.triangles[i]);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return sorted[a].key != sorted[b].key ? sorted[a].key < sorted[b].key : a < b;
  });
  Coincident found;
  std::vector<char> keep(n, 1);
  for (std::size_t i = 0, j = 0; i < n; i = j) {
    std::size_t even = 0, odd = 0;
    for (j = i; j < n && sorted[order[j]].key == sorted[order[i]].key; ++j)
      ++(sorted[order[j]].even ? even : odd);
    if (j == i + 1) continue;
    const std::size_t flaps = std::min(even, odd);
    bool excess = even != odd;
    found.flaps += flaps;
    found.duplicates += j - i - 2 * flaps - (excess ? 1 : 0);
    for (std::size_t k = i; k < j; ++k) {
      const bool stays = excess && sorted[order[k]].even == (even > odd);
      keep[order[k]] = stays ? 1 : 0;
      if (stays) excess = false;
    }
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i]) mesh.triangles[next++] = mesh.triangles[i];
  }
  mesh.triangles.resize(next);
  return found;
}

std::vector<std::array<std::int32_t, 2>> open_edges(const TriangleMesh& mesh) {
  const std::vector<Edge> edges = sorted_edges(mesh);
  std::vector<std::array<std::int32_t, 2>> open;
  for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
    for (j = i; j < edges.size() && edges[j] == edges[i];) ++j;
    if (j == i + 1) open.push_back({edges[i].lo, edges[i].hi});
  }
  return open;
}

std::size_t count_open_edges(const TriangleMesh& mesh) { return open_edges(mesh).size(); }

std::size_t most_faces_at_an_edge(const TriangleMesh& mesh) {
  const std::vector<Edge> edges = sorted_edges(mesh);
  std::size_t most = 0, first = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!(edges[i] == edges[first])) first = i;
    most = std::max(most, i - first + 1);
  }
  return most;
}

Components find_components(const TriangleMesh& mesh) {
  DisjointSets joined(mesh.vertices.size());
  for (const Triangle& t : mesh.triangles)
    for (int k = 1; k < 3; ++k) joined.join(t[0], t[k]);
  Components found;
  std::vector<std::int32_t> number(mesh.vertices.size(), -1);
  found.of_face.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    std::int32_t& id = number[joined.least(t[0])];
    if (id < 0) id = found.count++;
    found.of_face.push_back(id);
  }
  return found;
}

TriangleMesh select_faces(const TriangleMesh& mesh, const std::vector<char>& keep) {
  TriangleMesh out;
  std::vector<std::int32_t> renumbered(mesh.vertices.size(), -1);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (!keep[i]) continue;
    Triangle t = mesh.triangles[i];
    for (std::int32_t& v : t) {
      if (renumbered[v] < 0) {
        renumbered[v] = static_cast<std::int32_t>(out.vertices.size());
        out.vertices.push_back(mesh.vertices[v]);
      }
      v = renumbered[v];
    }
    out.triangles.push_back(t);
  }
  return out;
}

TriangleMesh select_part(const TriangleMesh& mesh, const Components& parts, std::int32_t part) {
  std::vector<char> keep(mesh.triangles.size());
  for (std::size_t f = 0; f < keep.size(); ++f) keep[f] = parts.of_face[f] == part ? 1 : 0;
  return select_faces(mesh, keep);
}

void append_mesh(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto shift = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Triangle& t : other.triangles)
    mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
}

double area(const TriangleMesh& mesh) {
  double twice = 0;
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d& a = mesh.vertices[t[0]];
    twice += (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm();
  }
  return twice / 2;
}

double volume(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return 0;
  const Eigen::Vector3d origin = mesh.vertices[mesh.triangles[0][0]];  // near the surface: less cancellation
  double sixfold = 0;
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d a = mesh.vertices[t[0]] - origin;
    sixfold += a.dot((mesh.vertices[t[1]] - origin).cross(mesh.vertices[t[2]] - origin));
  }
  return sixfold / 6;
}

}  // namespace abut::preprocess
