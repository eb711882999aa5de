#include "preprocess/remesh/settle.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using H = HalfedgeMesh;
using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

constexpr int kIterations = 200;
constexpr double kConverged = 3e-3;                         // of the residual's norm, relative to the first
constexpr double kLeastWeight = 0.05, kLargestWeight = 10;  // cotangents are kept between these
// An entry costs some ten nanoseconds, waking a thread more than a thousand of them.
constexpr std::int64_t kChunk = 4096;

class Settler {
 public:
  Settler(const CreasedSurface& s, const std::vector<Vec3>& directions, const std::vector<Hold>& holds,
          int threads, Lattice& lattice, std::vector<Vec3>& points)
      : s_(s), mesh_(s.mesh), directions_(directions), threads_(threads), lattice_(lattice), points_(points) {
    const auto n = static_cast<std::size_t>(mesh_.halfedge_slots());
    to_face_.assign(n, 0);
    weights_.assign(n, 0);
    steps_.resize(n);
    locked_.assign(points.size(), 2);
    shift_.assign(points.size(), Vec2::Zero());
    for (std::int32_t f = 0; f < mesh_.face_slots(); ++f) prepare_face(f);
    for (std::int32_t v = 0; v < mesh_.vertex_slots(); ++v) {
      if (mesh_.leaving(v) >= 0) prepare_vertex(v, holds[v]);
    }
  }

  void run() {
    prepare_rows();
    solve();
    for (std::int32_t v = 0; v < mesh_.vertex_slots(); ++v) {
      if (mesh_.leaving(v) >= 0) finish_vertex(v);
    }
  }

 private:
  struct Entry {
    std::int32_t to;
    std::uint8_t turn;  // from the axes there to the axes here
    double weight;
    double cosine, sine;  // of the turn, times the weight
  };

  // The face's axes in space.
  std::pair<Vec3, Vec3> axes(std::int32_t f) const {
    const Vec3 n = s_.double_area(f);
    const double length = n.norm();
    return {directions_[f], length > 0 ? Vec3(n.cross(directions_[f]) / length) : Vec3::Zero()};
  }

  void prepare_face(std::int32_t f) {
    const auto [q, t] = axes(f);
    const double area2 = s_.double_area(f).norm();
    for (std::int32_t h = 3 * f; h < 3 * f + 3; ++h) {
      const Vec3 e = s_.edge(h);
      const double size = (s_.sizes[mesh_.origin(h)] + s_.sizes[mesh_.target(h)]) / 2;
      steps_[h] = Vec2(e.dot(q), e.dot(t)) / size;
      const double cotangent = -s_.edge(H::next(h)).dot(s_.edge(H::previous(h))) / std::max(area2, 1e-300);
      weights_[h] = std::clamp(cotangent, kLeastWeight, kLargestWeight);
    }
  }

  void prepare_vertex(std::int32_t v, Hold hold) {
    const std::int32_t start = mesh_.leaving(v);
    std::int32_t h = start;
    int turn = 0;
    do {
      to_face_[h] = static_cast<std::uint8_t>(turn & 3);
      if (hold == Hold::kLine && s_.crease[h]) {
        // The crease runs along one of the axes; the other one is locked.
        const int along = std::abs(steps_[h].x()) >= std::abs(steps_[h].y()) ? 0 : 1;
        locked_[v] = static_cast<std::uint8_t>((1 - along + turn) & 1);
      }
      turn += lattice_.turns[h];
      h = mesh_.around(h);
    } while (h != start);
    if (hold == Hold::kPoint) locked_[v] = 3;
    const auto [q, t] = axes(start / 3);
    const Vec3 away = (s_.at(v) - points_[v]) / s_.sizes[v];
    shift_[v] = masked(v, {away.dot(q), away.dot(t)});
  }

  Vec2 masked(std::int32_t v, Vec2 x) const {
    if (locked_[v] == 3) return Vec2::Zero();
    if (locked_[v] < 2) x[locked_[v]] = 0;
    return x;
  }

  // Row of the Laplacian at v, applied to x, in v's axes.
  Vec2 product(const std::vector<Vec2>& x, std::int32_t v) const {
    Vec2 sum = diagonal_[v] * x[v];
    for (std::int32_t k = first_[v]; k < first_[v + 1]; ++k) {
      const Entry& e = entries_[k];
      const Vec2& y = x[e.to];
      sum -= Vec2(e.cosine * y.x() - e.sine * y.y(), e.sine * y.x() + e.cosine * y.y());
    }
    return masked(v, sum);
  }

  // What the lattice's steps lack to the edges' own around v, weighted, in v's axes.
  Vec2 lack(std::int32_t v) const {
    Vec2 sum = Vec2::Zero();
    const std::int32_t start = mesh_.leaving(v);
    std::int32_t h = start;
    do {
      const std::int32_t p = H::previous(h);
      const Vec2 part = weights_[h] * (steps_[h] - lattice_.offsets[h].cast<double>()) -
                        weights_[p] * (steps_[p] - lattice_.offsets[p].cast<double>());
      sum += turned(part, -to_face_[h]);
      h = mesh_.around(h);
    } while (h != start);
    return masked(v, sum);
  }

  // Gathers the weights of each edge's two faces.
  void prepare_rows() {
    first_.assign(1, 0);
    diagonal_.assign(shift_.size(), 0);
    for (std::int32_t v = 0; v < mesh_.vertex_slots(); ++v) {
      const std::int32_t start = mesh_.leaving(v);
      std::int32_t h = start;
      while (h >= 0) {
        const double weight = weights_[h] + weights_[mesh_.twin(h)];
        // From the other end's axes to those of h's face, on to v's.
        const auto turn = static_cast<std::uint8_t>((to_face_[H::next(h)] - to_face_[h]) & 3);
        const Vec2 turning = turned(Vec2(weight, 0), turn);
        entries_.push_back({mesh_.target(h), turn, weight, turning.x(), turning.y()});
        diagonal_[v] += weight;
        h = mesh_.around(h);
        if (h == start) break;
      }
      first_.push_back(static_cast<std::int32_t>(entries_.size()));
    }
  }

  template <class Body>
  void each_vertex(Body&& body) const {
    parallel_for(
        mesh_.vertex_slots(), mesh_.vertex_slots() < 8 * kChunk ? 1 : threads_,
        [&](std::int64_t i, int) {
          const auto v = static_cast<std::int32_t>(i);
          if (mesh_.leaving(v) >= 0) body(v);
        },
        kChunk);
  }

  static double dot(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
    return sum;
  }

  // Conjugate gradients with the diagonal as preconditioner.
  void solve() {
    const std::size_t n = shift_.size();
    std::vector<Vec2> r(n, Vec2::Zero()), z(n, Vec2::Zero()), p(n, Vec2::Zero()), Ap(n, Vec2::Zero());
    std::vector<double> inverse(n, 0);
    each_vertex([&](std::int32_t v) {
      inverse[v] = 1 / diagonal_[v];
      r[v] = -product(shift_, v) - lack(v);
      z[v] = inverse[v] * r[v];
    });
    p = z;
    double rz = dot(r, z);
    const double first = rz;
    for (int k = 0; k < kIterations && rz > kConverged * kConverged * first; ++k) {
      each_vertex([&](std::int32_t v) { Ap[v] = product(p, v); });
      const double alpha = rz / dot(p, Ap);
      each_vertex([&](std::int32_t v) {
        shift_[v] += alpha * p[v];
        r[v] -= alpha * Ap[v];
        z[v] = inverse[v] * r[v];
      });
      const double next = dot(r, z), beta = next / rz;
      rz = next;
      each_vertex([&](std::int32_t v) { p[v] = z[v] + beta * p[v]; });
    }
  }

  void finish_vertex(std::int32_t v) {
    const std::int32_t start = mesh_.leaving(v);
    Offset step(static_cast<int>(std::lround(shift_[v].x())), static_cast<int>(std::lround(shift_[v].y())));
    const Vec2 rest = shift_[v] - step.cast<double>();
    const auto [q, t] = axes(start / 3);
    points_[v] = s_.at(v) - s_.sizes[v] * (rest.x() * q + rest.y() * t);
    if (step.isZero()) return;
    std::int32_t h = start;
    do {
      lattice_.offsets[h] -= step;
      lattice_.offsets[mesh_.twin(h)] = -turned(lattice_.offsets[h], lattice_.turns[h]);
      step = turned(step, lattice_.turns[h]);
      h = mesh_.around(h);
    } while (h != start);
  }

  const CreasedSurface& s_;
  const HalfedgeMesh& mesh_;
  const std::vector<Vec3>& directions_;
  int threads_;
  Lattice& lattice_;
  std::vector<Vec3>& points_;
  std::vector<std::uint8_t> to_face_;  // of the half-edges: turns from the axes of their origin to their face
  std::vector<double> weights_;        // of the half-edges, in their face
  std::vector<Vec2> steps_;            // of the half-edges: their length in steps, in their face's axes
  std::vector<std::uint8_t> locked_;   // of the vertices: axis that cannot move; 2: none; 3: both
  std::vector<std::int32_t> first_;    // of the vertices: their entries
  std::vector<Entry> entries_;
  std::vector<double> diagonal_;
  std::vector<Vec2> shift_;  // of the vertices: from their lattice point, in steps
};

}  // namespace

void settle(const CreasedSurface& surface, const std::vector<Vec3>& directions,
            const std::vector<Hold>& holds, int threads, Lattice& lattice, std::vector<Vec3>& points) {
  Settler(surface, directions, holds, threads, lattice, points).run();
}

}  // namespace abut::preprocess
