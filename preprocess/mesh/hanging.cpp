#include "preprocess/mesh/hanging.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "preprocess/mesh/lids.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/disjoint_sets.h"

namespace abut::preprocess {
namespace {

// Least volume that a limb outlines, over its area to the power of 3/2: a tube a hundred times as long as
// wide has 0.012, a sheet 0.
constexpr double kLimbVolume = 1e-3;
constexpr std::size_t kLeastLimbFaces = 4;

using Edge = std::array<std::int32_t, 2>;  // vertices, ascending

struct EdgeOfFace {
  std::int32_t lo, hi, face;
  bool same_edge(const EdgeOfFace& other) const { return lo == other.lo && hi == other.hi; }
};

struct Patch {
  bool open = false;
  double area = 0;                  // m^2
  std::vector<std::int32_t> faces;  // ascending
  std::vector<std::size_t> edges;   // its edges of three or more faces, once for each of its faces there
};

// The patches of a mesh, separated by edges of three or more faces.
class Patches {
 public:
  explicit Patches(const TriangleMesh& mesh) : mesh_(mesh), patches_(mesh.triangles.size()) {
    DisjointSets joined(mesh.triangles.size());
    const std::vector<EdgeOfFace> edges = edges_of_faces();
    std::vector<std::array<std::size_t, 2>> many;  // range of the faces at each such edge
    std::vector<std::int32_t> open;
    for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
      for (j = i; j < edges.size() && edges[j].same_edge(edges[i]);) ++j;
      if (j - i == 1) open.push_back(edges[i].face);
      if (j - i == 2) joined.join(edges[i].face, edges[i + 1].face);
      if (j - i > 2) many.push_back({i, j});
    }
    for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
      const Triangle& t = mesh.triangles[f];
      const Eigen::Vector3d& a = mesh.vertices[t[0]];
      Patch& patch = patches_[joined.least(static_cast<std::int32_t>(f))];
      patch.area += (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm() / 2;
      patch.faces.push_back(static_cast<std::int32_t>(f));
    }
    for (const std::int32_t f : open) patches_[joined.least(f)].open = true;
    for (std::size_t e = 0; e < many.size(); ++e) {
      for (std::size_t i = many[e][0]; i < many[e][1]; ++i)
        patches_[joined.least(edges[i].face)].edges.push_back(e);
      faces_left_.push_back(many[e][1] - many[e][0]);
      shared_.push_back({edges[many[e][0]].lo, edges[many[e][0]].hi});
    }
  }

  // Marks the faces to keep.
  std::vector<char> peel(double most, Hanging& hanging) {
    std::vector<char> keep(mesh_.triangles.size(), 1);
    for (const Patch* patch : smallest_first()) {
      if (!patch->open) continue;
      if (hanging.area + patch->area > most) break;
      if (!take(*patch)) continue;
      hanging.area += patch->area;
      hanging.faces += patch->faces.size();
      for (const std::int32_t f : patch->faces) keep[f] = 0;
    }
    return keep;
  }

  // The faces of each limb.
  std::vector<std::vector<std::int32_t>> limbs(double least) {
    std::vector<std::vector<std::int32_t>> found;
    for (const Patch* patch : smallest_first())
      if (patch->faces.size() >= kLeastLimbFaces && stands_on_ring(*patch) && has_volume(*patch, least) &&
          take(*patch))
        found.push_back(patch->faces);
    return found;
  }

 private:
  // The patches that share edges with others, by area.
  std::vector<const Patch*> smallest_first() const {
    std::vector<const Patch*> order;
    for (const Patch& patch : patches_)
      if (!patch.edges.empty()) order.push_back(&patch);
    std::stable_sort(order.begin(), order.end(),
                     [](const Patch* a, const Patch* b) { return a->area < b->area; });
    return order;
  }

  // Whether a closed path of the patch's boundary consists only of edges of three or more faces.
  bool stands_on_ring(const Patch& patch) const {
    std::map<Edge, int> faces_at;
    for (const std::int32_t f : patch.faces)
      for (int k = 0; k < 3; ++k) {
        const Triangle& t = mesh_.triangles[f];
        ++faces_at[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}];
      }
    std::set<Edge> shared;
    for (const std::size_t e : patch.edges) shared.insert(shared_[e]);
    std::map<std::int32_t, std::int32_t> number;
    for (const auto& [edge, faces] : faces_at)
      if (faces == 1)
        for (const std::int32_t v : edge) number.try_emplace(v, static_cast<std::int32_t>(number.size()));
    DisjointSets joined(number.size());
    std::set<std::int32_t> open;
    for (const auto& [edge, faces] : faces_at)
      if (faces == 1) joined.join(number[edge[0]], number[edge[1]]);
    for (const auto& [edge, faces] : faces_at)
      if (faces == 1 && !shared.contains(edge)) open.insert(joined.least(number[edge[0]]));
    return std::any_of(number.begin(), number.end(),
                       [&](const auto& v) { return !open.contains(joined.least(v.second)); });
  }

  bool has_volume(const Patch& patch, double least) const {
    std::vector<char> keep(mesh_.triangles.size(), 0);
    for (const std::int32_t f : patch.faces) keep[f] = 1;
    const TriangleMesh faces = select_faces(mesh_, keep);
    return faces.diagonal() > least &&
           std::abs(outlined_volume(orient_soup(faces).mesh)) > kLimbVolume * std::pow(patch.area, 1.5);
  }

  std::vector<EdgeOfFace> edges_of_faces() const {
    std::vector<EdgeOfFace> edges;
    edges.reserve(3 * mesh_.triangles.size());
    for (std::size_t f = 0; f < mesh_.triangles.size(); ++f) {
      const Triangle& t = mesh_.triangles[f];
      for (int k = 0; k < 3; ++k) {
        const auto [lo, hi] = std::minmax(t[k], t[(k + 1) % 3]);
        edges.push_back({lo, hi, static_cast<std::int32_t>(f)});
      }
    }
    std::sort(edges.begin(), edges.end(), [](const EdgeOfFace& a, const EdgeOfFace& b) {
      return std::tie(a.lo, a.hi, a.face) < std::tie(b.lo, b.hi, b.face);
    });
    return edges;
  }

  // Whether every edge keeps at least two faces without the patch; if so, the patch counts as removed.
  bool take(const Patch& patch) {
    for (const std::size_t e : patch.edges) --faces_left_[e];
    if (std::all_of(patch.edges.begin(), patch.edges.end(),
                    [&](std::size_t e) { return faces_left_[e] >= 2; }))
      return true;
    for (const std::size_t e : patch.edges) ++faces_left_[e];
    return false;
  }

  const TriangleMesh& mesh_;
  std::vector<Patch> patches_;           // indexed by their first face; the others are empty
  std::vector<std::size_t> faces_left_;  // number of faces left at each edge of three or more faces
  std::vector<Edge> shared_;             // the vertices of these edges
};

}  // namespace

Hanging drop_hanging(TriangleMesh& mesh, double most) {
  Hanging hanging;
  const std::vector<char> keep = Patches(mesh).peel(most, hanging);
  std::size_t next = 0;
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    if (keep[f] != 0)
      mesh.triangles[next++] = mesh.triangles[f];
    else
      hanging.dropped.push_back(mesh.triangles[f]);
  mesh.triangles.resize(next);
  return hanging;
}

std::size_t split_limbs(TriangleMesh& mesh, double least) {
  const std::vector<std::vector<std::int32_t>> limbs = Patches(mesh).limbs(least);
  for (const auto& faces : limbs) {
    std::map<std::int32_t, std::int32_t> copies;
    for (const std::int32_t f : faces)
      for (std::int32_t& v : mesh.triangles[f]) {
        const auto [copy, is_new] = copies.try_emplace(v, static_cast<std::int32_t>(mesh.vertices.size()));
        if (is_new) mesh.vertices.push_back(Eigen::Vector3d(mesh.vertices[v]));
        v = copy->second;
      }
  }
  // Removes vertices that no face uses any more.
  if (!limbs.empty()) mesh = select_faces(mesh, std::vector<char>(mesh.triangles.size(), 1));
  return limbs.size();
}

}  // namespace abut::preprocess
