#include "preprocess/mesh/hanging.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <tuple>

#include "preprocess/mesh/disjoint_sets.h"

namespace abut::preprocess {
namespace {

struct EdgeOfFace {
  std::int32_t lo, hi, face;
  bool same_edge(const EdgeOfFace& other) const { return lo == other.lo && hi == other.hi; }
};

struct Patch {
  bool open = false;
  double area = 0;                  // m^2
  std::vector<std::int32_t> faces;  // in rising order
  std::vector<std::size_t> edges;   // those of three or more faces that it has, once for each of its faces
};

// The patches of a mesh, and the edges that part them.
class Patches {
 public:
  explicit Patches(const TriangleMesh& mesh) : mesh_(mesh), patches_(mesh.triangles.size()) {
    DisjointSets joined(mesh.triangles.size());
    const std::vector<EdgeOfFace> edges = edges_of_faces();
    std::vector<std::array<std::size_t, 2>> many;  // where the faces of such an edge begin and end
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
    }
  }

  // Marks the faces that stay.
  std::vector<char> peel(double most, Hanging& hanging) {
    std::vector<char> keep(mesh_.triangles.size(), 1);
    std::vector<const Patch*> order;
    for (const Patch& patch : patches_)
      if (patch.open && !patch.edges.empty()) order.push_back(&patch);
    std::stable_sort(order.begin(), order.end(),
                     [](const Patch* a, const Patch* b) { return a->area < b->area; });
    for (const Patch* patch : order) {
      if (hanging.area + patch->area > most) break;
      if (!take(*patch)) continue;
      hanging.area += patch->area;
      hanging.faces += patch->faces.size();
      for (const std::int32_t f : patch->faces) keep[f] = 0;
    }
    return keep;
  }

 private:
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

  // Whether every edge keeps two faces without the patch; then they are without it.
  bool take(const Patch& patch) {
    for (const std::size_t e : patch.edges) --faces_left_[e];
    if (std::all_of(patch.edges.begin(), patch.edges.end(),
                    [&](std::size_t e) { return faces_left_[e] >= 2; }))
      return true;
    for (const std::size_t e : patch.edges) ++faces_left_[e];
    return false;
  }

  const TriangleMesh& mesh_;
  std::vector<Patch> patches_;           // by the number of their first face; others are empty
  std::vector<std::size_t> faces_left_;  // of each edge of three or more faces
};

}  // namespace

Hanging drop_hanging(TriangleMesh& mesh, double most) {
  Hanging hanging;
  const std::vector<char> keep = Patches(mesh).peel(most, hanging);
  std::size_t next = 0;
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    if (keep[f] != 0) mesh.triangles[next++] = mesh.triangles[f];
  mesh.triangles.resize(next);
  return hanging;
}

}  // namespace abut::preprocess
