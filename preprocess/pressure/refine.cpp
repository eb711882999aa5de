#include "preprocess/pressure/refine.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstdint>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace abut::preprocess {
namespace {

constexpr double kFlat = 1e-4;  // sine of the angle between triangles that count as coplanar
constexpr double kNear = 1e-7;  // of the diagonals of two triangles that count as coplanar, over the size
constexpr double kTie = 1e-6;   // of cotangents: four points on a circle, up to rounding
constexpr std::size_t kMaxFlips = 50;  // times the number of triangles: ends the loop even under rounding

class Refiner {
 public:
  explicit Refiner(const TriangleMesh& closed) : mesh_(closed), near_(kNear * closed.diagonal()) {
    edges_.reserve(2 * mesh_.triangles.size());
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(mesh_.triangles.size()); ++i) {
      const Triangle& t = mesh_.triangles[i];
      for (int k = 0; k < 3; ++k) replace(t[k], t[(k + 1) % 3], -1, i);
    }
    for (const Triangle& t : closed.triangles)
      for (int k = 0; k < 3; ++k) suspects_.emplace_back(t[k], t[(k + 1) % 3]);
    flip_suspects();
  }

  TriangleMesh run(std::size_t triangles) {
    while (mesh_.triangles.size() < triangles && !queue_.empty()) {
      const auto [length2, a, b] = queue_.top();
      queue_.pop();
      if (edges_.find(key(a, b)) == edges_.end()) continue;  // it was flipped
      cut(a, b);
      flip_suspects();
    }
    return std::move(mesh_);
  }

 private:
  using Sides = std::array<std::int32_t, 2>;

  static std::uint64_t key(std::int32_t a, std::int32_t b) {
    if (a > b) std::swap(a, b);
    return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
  }

  // Replaces one of the triangles at an edge by another (-1: none yet). New edges are queued for bisection.
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
      // (p, q, apex) with the edge p-q becomes (p, middle, apex) and (middle, q, apex).
      const auto [p, q, apex] = from_edge(side, a, b);
      const auto added = static_cast<std::int32_t>(mesh_.triangles.size());
      mesh_.triangles[side] = {p, middle, apex};
      mesh_.triangles.push_back({middle, q, apex});
      replace(q, apex, side, added);
      replace(p, middle, -1, side);
      replace(middle, q, -1, added);
      replace(middle, apex, -1, side);
      replace(middle, apex, -1, added);
      suspects_.emplace_back(q, apex);
      suspects_.emplace_back(apex, p);
    }
  }

  // The corners of a triangle, starting with one of its edges.
  Triangle from_edge(std::int32_t triangle, std::int32_t a, std::int32_t b) const {
    const Triangle& t = mesh_.triangles[triangle];
    int k = 0;
    while (key(t[k], t[(k + 1) % 3]) != key(a, b)) ++k;
    return {t[k], t[(k + 1) % 3], t[(k + 2) % 3]};
  }

  // Makes the triangulation of every flat part Delaunay [Lawson 1977].
  void flip_suspects() {
    for (std::size_t flips = 0; !suspects_.empty();) {
      const auto [a, b] = suspects_.back();
      suspects_.pop_back();
      if (flips <= kMaxFlips * mesh_.triangles.size() && flip(a, b)) ++flips;
    }
  }

  // Flips the edge if its two triangles are coplanar and the circumcircle of one contains the apex of the
  // other; returns whether it did.
  bool flip(std::int32_t a, std::int32_t b) {
    const auto edge = edges_.find(key(a, b));
    if (edge == edges_.end()) return false;
    const Sides sides = edge->second;
    const auto [p, q, c] = from_edge(sides[0], a, b);
    const std::int32_t d = from_edge(sides[1], a, b)[2];
    if (edges_.find(key(c, d)) != edges_.end() || !better_flipped(p, q, c, d)) return false;
    edges_.erase(edge);
    mesh_.triangles[sides[0]] = {p, d, c};
    mesh_.triangles[sides[1]] = {d, q, c};
    replace(p, d, sides[1], sides[0]);
    replace(q, c, sides[0], sides[1]);
    replace(c, d, -1, sides[0]);
    replace(c, d, -1, sides[1]);
    for (const auto& [u, v] : {std::pair{p, d}, {d, q}, {q, c}, {c, p}}) suspects_.emplace_back(u, v);
    return true;
  }

  // Whether to flip the common edge p-q of the triangles p-q-c and q-p-d.
  bool better_flipped(std::int32_t p, std::int32_t q, std::int32_t c, std::int32_t d) const {
    const Eigen::Vector3d e = mesh_.vertices[q] - mesh_.vertices[p],
                          to_c = mesh_.vertices[c] - mesh_.vertices[p],
                          to_d = mesh_.vertices[d] - mesh_.vertices[p], n_c = e.cross(to_c),
                          n_d = to_d.cross(e);
    const double area_c = n_c.norm(), area_d = n_d.norm();
    if (!(area_c > 0 && area_d > 0 && n_c.dot(n_d) > 0)) return false;
    if (n_c.cross(n_d).norm() > kFlat * area_c * area_d) return false;
    const Eigen::Vector3d across = e.cross(to_d - to_c);
    if (std::abs(across.dot(to_c)) > near_ * across.norm()) return false;
    // Cotangents of the angles at c and d: the sum is negative if the angles exceed 180 degrees together.
    const double cot_c = to_c.dot(to_c - e) / area_c, cot_d = to_d.dot(to_d - e) / area_d;
    return cot_c + cot_d < -kTie;
  }

  TriangleMesh mesh_;
  double near_;  // m, of the two diagonals of coplanar triangles
  std::unordered_map<std::uint64_t, Sides> edges_;
  std::priority_queue<std::tuple<double, std::int32_t, std::int32_t>> queue_;  // may hold flipped edges
  std::vector<std::pair<std::int32_t, std::int32_t>> suspects_;                // edges that may be flipped
};

}  // namespace

TriangleMesh refine(const TriangleMesh& closed, std::size_t triangles) {
  return Refiner(closed).run(triangles);
}

}  // namespace abut::preprocess
