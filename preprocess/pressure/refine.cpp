#include "preprocess/pressure/refine.h"

#include <array>
#include <cstdint>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace abut::preprocess {
namespace {

class Refiner {
 public:
  explicit Refiner(const TriangleMesh& closed) : mesh_(closed) {
    edges_.reserve(2 * mesh_.triangles.size());
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(mesh_.triangles.size()); ++i) {
      const Triangle& t = mesh_.triangles[i];
      for (int k = 0; k < 3; ++k) replace(t[k], t[(k + 1) % 3], -1, i);
    }
  }

  TriangleMesh run(std::size_t triangles) {
    while (mesh_.triangles.size() < triangles && !queue_.empty()) {
      const auto [length2, a, b] = queue_.top();
      queue_.pop();
      cut(a, b);
    }
    return std::move(mesh_);
  }

 private:
  using Sides = std::array<std::int32_t, 2>;

  static std::uint64_t key(std::int32_t a, std::int32_t b) {
    if (a > b) std::swap(a, b);
    return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
  }

  // One of the triangles at an edge becomes another; -1 for none yet. New edges queue up to be cut.
  void replace(std::int32_t a, std::int32_t b, std::int32_t before, std::int32_t now) {
    const auto [it, added] = edges_.try_emplace(key(a, b), Sides{-1, -1});
    if (added)
      queue_.emplace((mesh_.vertices[a] - mesh_.vertices[b]).squaredNorm(), std::min(a, b), std::max(a, b));
    (it->second[0] == before ? it->second[0] : it->second[1]) = now;
  }

  void cut(std::int32_t a, std::int32_t b) {
    const Sides sides = edges_.at(key(a, b));
    edges_.erase(key(a, b));
    const auto middle = static_cast<std::int32_t>(mesh_.vertices.size());
    mesh_.vertices.emplace_back((mesh_.vertices[a] + mesh_.vertices[b]) / 2);
    for (const std::int32_t side : sides) {
      // (p, q, apex) with p-q the edge becomes (p, middle, apex) and (middle, q, apex).
      const Triangle t = mesh_.triangles[side];
      int k = 0;
      while (key(t[k], t[(k + 1) % 3]) != key(a, b)) ++k;
      const std::int32_t p = t[k], q = t[(k + 1) % 3], apex = t[(k + 2) % 3];
      const auto added = static_cast<std::int32_t>(mesh_.triangles.size());
      mesh_.triangles[side] = {p, middle, apex};
      mesh_.triangles.push_back({middle, q, apex});
      replace(q, apex, side, added);
      replace(p, middle, -1, side);
      replace(middle, q, -1, added);
      replace(middle, apex, -1, side);
      replace(middle, apex, -1, added);
    }
  }

  TriangleMesh mesh_;
  std::unordered_map<std::uint64_t, Sides> edges_;
  std::priority_queue<std::tuple<double, std::int32_t, std::int32_t>> queue_;
};

}  // namespace

TriangleMesh refine(const TriangleMesh& closed, std::size_t triangles) {
  return Refiner(closed).run(triangles);
}

}  // namespace abut::preprocess
