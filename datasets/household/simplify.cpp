// Simplification by edge collapse on an implicit surface.
#include <algorithm>
#include <queue>
#include <tuple>

#include "datasets/household/implicit.h"

namespace abut::datasets::household {
namespace {

class Simplifier {
 public:
  Simplifier(const Surface& surface, const Field& field, double size)
      : surface_(surface),
        field_(field),
        size_(size),
        faces_(surface.vertices.size()),
        stamps_(surface.vertices.size(), 0),
        alive_(surface.triangles.size(), true) {
    for (std::size_t t = 0; t < surface_.triangles.size(); ++t)
      for (const std::int32_t v : surface_.triangles[t]) faces_[v].push_back(static_cast<std::int32_t>(t));
    for (std::size_t v = 0; v < faces_.size(); ++v)
      normals_.push_back(field_normal(static_cast<std::int32_t>(v)));
    for (std::size_t v = 0; v < faces_.size(); ++v) push_edges(static_cast<std::int32_t>(v), true);
  }

  void collapse_to(std::size_t triangles) {
    std::size_t left = surface_.triangles.size();
    while (left > triangles && !queue_.empty()) {
      const auto [edge_cost, u, v, stamp_u, stamp_v] = queue_.top();
      queue_.pop();
      if (stamps_[u] != stamp_u || stamps_[v] != stamp_v) continue;
      if (collapse(u, v)) left -= 2;
    }
  }

  // Moves every vertex towards the mean of its neighbours and back onto the surface.
  void relax(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < faces_.size(); ++i) {
        if (faces_[i].empty()) continue;
        const auto v = static_cast<std::int32_t>(i);
        Eigen::Vector3d mean = Eigen::Vector3d::Zero();
        const std::vector<std::int32_t> ring = neighbours(v);
        for (const std::int32_t n : ring) mean += surface_.vertices[n];
        mean /= static_cast<double>(ring.size());
        const Eigen::Vector3d target = project(field_, 0.5 * (surface_.vertices[i] + mean), 0.25 * size_);
        if (keeps_normals(v, -1, target)) surface_.vertices[i] = target;
      }
    }
  }

  // Tries to collapse an edge of every sliver, shortest first.
  void remove_slivers() {
    constexpr double kSliver = 0.25;  // about 14 degrees
    for (std::size_t f = 0; f < surface_.triangles.size(); ++f) {
      if (!alive_[f] || roundness(corners(surface_.triangles[f])) > kSliver) continue;
      const Triangle t = surface_.triangles[f];
      std::array<Edge, 3> edges;
      for (int i = 0; i < 3; ++i) {
        const std::int32_t u = t[i], v = t[(i + 1) % 3];
        edges[i] = {(surface_.vertices[u] - surface_.vertices[v]).norm(), u, v, 0, 0};
      }
      std::sort(edges.begin(), edges.end());
      for (const auto& [length, u, v, stamp_u, stamp_v] : edges)
        if (collapse(u, v)) break;
    }
  }

  void settle() {
    for (std::size_t v = 0; v < faces_.size(); ++v)
      if (!faces_[v].empty()) surface_.vertices[v] = project(field_, surface_.vertices[v], 0.25 * size_);
  }

  // The remaining triangles, with only the vertices that they use.
  Surface take() const {
    Surface result;
    std::vector<std::int32_t> index(faces_.size(), -1);
    for (std::size_t t = 0; t < surface_.triangles.size(); ++t) {
      if (!alive_[t]) continue;
      Triangle triangle = surface_.triangles[t];
      for (std::int32_t& v : triangle) {
        if (index[v] < 0) {
          index[v] = static_cast<std::int32_t>(result.vertices.size());
          result.vertices.push_back(surface_.vertices[v]);
        }
        v = index[v];
      }
      result.triangles.push_back(triangle);
    }
    return result;
  }

 private:
  using Edge =
      std::tuple<double, std::int32_t, std::int32_t, int, int>;  // length, ends, their stamps when queued

  std::vector<std::int32_t> neighbours(std::int32_t v) const {
    std::vector<std::int32_t> ring;
    for (const std::int32_t f : faces_[v])
      for (const std::int32_t n : surface_.triangles[f])
        if (n != v) ring.push_back(n);
    std::sort(ring.begin(), ring.end());
    ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
    return ring;
  }

  Eigen::Vector3d field_normal(std::int32_t v) const {
    return gradient(field_, surface_.vertices[v], 1e-2 * size_).normalized();
  }

  // An edge's length, increased where the surface bends along it, so that rims keep smaller triangles.
  double cost(std::int32_t u, std::int32_t v) const {
    constexpr double kBend = 2;
    return (surface_.vertices[u] - surface_.vertices[v]).norm() *
           (1 + kBend * (normals_[u] - normals_[v]).norm());
  }

  void push_edges(std::int32_t u, bool upward_only) {
    for (const std::int32_t v : neighbours(u))
      if (!upward_only || u < v) queue_.emplace(cost(u, v), u, v, stamps_[u], stamps_[v]);
  }

  // About the least height over the base: 0.87 for an equilateral triangle, 0 for a collapsed one.
  static double roundness(const std::array<Eigen::Vector3d, 3>& p) {
    const double longest =
        std::max({(p[1] - p[0]).squaredNorm(), (p[2] - p[1]).squaredNorm(), (p[0] - p[2]).squaredNorm()});
    return longest > 0 ? (p[1] - p[0]).cross(p[2] - p[0]).norm() / longest : 0;
  }

  std::array<Eigen::Vector3d, 3> corners(const Triangle& t) const {
    return {surface_.vertices[t[0]], surface_.vertices[t[1]], surface_.vertices[t[2]]};
  }

  static constexpr double kCoincident = 1e-9;  // relative to size_

  // Whether the faces of v that do not contain `other` keep their orientation, and none becomes a sliver,
  // when v moves to p.
  bool keeps_normals(std::int32_t v, std::int32_t other, const Eigen::Vector3d& p) const {
    constexpr double kSliver = 0.1;
    Eigen::Vector3d star = Eigen::Vector3d::Zero();
    for (const std::int32_t f : faces_[v]) star += area_normal(surface_, surface_.triangles[f]);
    for (const std::int32_t f : faces_[v]) {
      const Triangle& t = surface_.triangles[f];
      if (std::find(t.begin(), t.end(), other) != t.end()) continue;
      const std::array<Eigen::Vector3d, 3> before = corners(t);
      std::array<Eigen::Vector3d, 3> after = before;
      for (int i = 0; i < 3; ++i)
        if (t[i] == v) after[i] = p;
      const Eigen::Vector3d old_normal = area_normal(surface_, t);
      const Eigen::Vector3d normal = (after[1] - after[0]).cross(after[2] - after[0]);
      if (roundness(after) < kSliver && normal.norm() < old_normal.norm()) return false;
      // A sliver's own normal is unreliable: the sum over all faces of the vertex replaces it.
      const bool sliver = roundness(before) < 0.2 * kSliver;
      const Eigen::Vector3d& reference = sliver ? star : old_normal;
      if (normal.dot(reference) < (sliver ? 0.2 : 0.5) * normal.norm() * reference.norm()) return false;
    }
    return true;
  }

  bool collapse(std::int32_t u, std::int32_t v) {
    const std::vector<std::int32_t> ring_u = neighbours(u), ring_v = neighbours(v);
    std::vector<std::int32_t> common;
    std::set_intersection(ring_u.begin(), ring_u.end(), ring_v.begin(), ring_v.end(),
                          std::back_inserter(common));
    // The link condition: anything but two common neighbours would pinch the surface.
    if (common.size() != 2 || ring_u.size() + ring_v.size() > 14) return false;
    const Eigen::Vector3d p =
        project(field_, 0.5 * (surface_.vertices[u] + surface_.vertices[v]), 0.25 * size_);
    // If projection has made the ends coincide, the normals of their faces are meaningless, and collapsing
    // moves nothing.
    const bool coincident = (surface_.vertices[u] - surface_.vertices[v]).norm() < kCoincident * size_;
    if (!coincident && (!keeps_normals(u, v, p) || !keeps_normals(v, u, p))) return false;
    surface_.vertices[u] = p;
    normals_[u] = field_normal(u);
    for (const std::int32_t f : faces_[v]) {
      Triangle& t = surface_.triangles[f];
      if (std::find(t.begin(), t.end(), u) != t.end()) {
        alive_[f] = false;
        for (const std::int32_t w : t)
          if (w != v) std::erase(faces_[w], f);
      } else {
        std::replace(t.begin(), t.end(), v, u);
        faces_[u].push_back(f);
      }
    }
    faces_[v].clear();
    ++stamps_[u];
    ++stamps_[v];
    push_edges(u, false);
    return true;
  }

  Surface surface_;
  const Field& field_;
  double size_;
  std::vector<std::vector<std::int32_t>> faces_;  // by vertex; empty for a removed one
  std::vector<Eigen::Vector3d> normals_;          // of the field, unit
  std::vector<int> stamps_;                       // change with every move of the vertex
  std::vector<bool> alive_;
  std::priority_queue<Edge, std::vector<Edge>, std::greater<>> queue_;
};

}  // namespace

Surface simplify(const Surface& surface, std::size_t triangles, const Field& field, double size) {
  Simplifier simplifier(surface, field, size);
  simplifier.collapse_to(triangles);
  for (int round = 0; round < 4; ++round) {
    simplifier.relax(2);
    simplifier.remove_slivers();
  }
  simplifier.settle();
  simplifier.remove_slivers();
  return simplifier.take();
}

}  // namespace abut::datasets::household
