#include "preprocess/remesh/settle.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using H = HalfedgeMesh;
using Vec2 = Eigen::Vector2d;
using Vec2f = Eigen::Vector2f;
using Vec3 = Eigen::Vector3d;

constexpr int kIterations = 200;
constexpr double kConverged = 1e-2;                         // residual norm relative to the initial
constexpr double kLeastWeight = 0.05, kLargestWeight = 10;  // cotangents are clamped to this range
// An entry takes some ten nanoseconds, waking a thread more than a thousand times that.
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
  // An off-diagonal entry of the Laplacian. Single precision suffices for the tolerance of the solver, and
  // halves the memory traffic.
  struct Entry {
    std::int32_t to;
    float cosine, sine;  // of the turn from the axes at `to` to the local ones, times the weight
  };

  // The face's axes as vectors in space.
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
    shift_[v] = masked(v, Vec2(away.dot(q), away.dot(t)));
  }

  template <class S>
  Eigen::Vector2<S> masked(std::int32_t v, Eigen::Vector2<S> x) const {
    if (locked_[v] == 3) return Eigen::Vector2<S>::Zero();
    if (locked_[v] < 2) x[locked_[v]] = 0;
    return x;
  }

  // Applies the row of the Laplacian at v to x, in v's axes.
  Vec2f product(const std::vector<Vec2f>& x, std::int32_t v) const {
    float along = diagonal_[v] * x[v].x(), across = diagonal_[v] * x[v].y();
    for (std::int32_t k = first_[v]; k < first_[v + 1]; ++k) {
      const Entry& e = entries_[k];
      const Vec2f& y = x[e.to];
      along -= e.cosine * y.x() - e.sine * y.y();
      across -= e.sine * y.x() + e.cosine * y.y();
    }
    return masked(v, Vec2f(along, across));
  }

  // Weighted difference between the edges' own steps and the lattice's around v, in v's axes.
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

  // Collects the weights of each edge's two faces.
  void prepare_rows() {
    first_.assign(1, 0);
    diagonal_.assign(shift_.size(), 0);
    for (std::int32_t v = 0; v < mesh_.vertex_slots(); ++v) {
      const std::int32_t start = mesh_.leaving(v);
      std::int32_t h = start;
      while (h >= 0) {
        const double weight = weights_[h] + weights_[mesh_.twin(h)];
        // From the axes at the other end to those of h's face, then to those at v.
        const int turn = to_face_[H::next(h)] - to_face_[h];
        const Vec2f turning = turned(Vec2f(static_cast<float>(weight), 0), turn);
        entries_.push_back({mesh_.target(h), turning.x(), turning.y()});
        diagonal_[v] += static_cast<float>(weight);
        h = mesh_.around(h);
        if (h == start) break;
      }
      first_.push_back(static_cast<std::int32_t>(entries_.size()));
    }
  }

  void apply(const std::vector<Vec2f>& x, std::vector<Vec2f>& out) const {
    const auto n = static_cast<std::int64_t>(x.size());
    parallel_for(
        n, n < 8 * kChunk ? 1 : threads_,
        [&](std::int64_t v, int) { out[v] = product(x, static_cast<std::int32_t>(v)); }, kChunk);
  }

  // Conjugate gradients with the diagonal as preconditioner.
  void solve() {
    const std::size_t n = shift_.size();
    std::vector<Vec2f> x(n), r(n, Vec2f::Zero()), p(n), Ap(n);
    std::vector<float> inverse(n, 0);
    for (std::size_t v = 0; v < n; ++v) x[v] = shift_[v].cast<float>();
    apply(x, Ap);
    double rz = 0;
    for (std::size_t v = 0; v < n; ++v) {
      if (diagonal_[v] > 0) {
        inverse[v] = 1 / diagonal_[v];
        r[v] = -Ap[v] - lack(static_cast<std::int32_t>(v)).cast<float>();
      }
      p[v] = inverse[v] * r[v];
      rz += static_cast<double>(r[v].dot(p[v]));
    }
    const double first = rz;
    for (int k = 0; k < kIterations && rz > kConverged * kConverged * first; ++k) {
      apply(p, Ap);
      double pAp = 0, next = 0;
      for (std::size_t v = 0; v < n; ++v) pAp += static_cast<double>(p[v].dot(Ap[v]));
      const auto alpha = static_cast<float>(rz / pAp);
      for (std::size_t v = 0; v < n; ++v) {
        x[v] += alpha * p[v];
        r[v] -= alpha * Ap[v];
        next += static_cast<double>(inverse[v] * r[v].squaredNorm());
      }
      const auto beta = static_cast<float>(next / rz);
      rz = next;
      for (std::size_t v = 0; v < n; ++v) p[v] = inverse[v] * r[v] + beta * p[v];
    }
    for (std::size_t v = 0; v < n; ++v) shift_[v] = x[v].cast<double>();
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
  std::vector<std::uint8_t> to_face_;  // of each half-edge: turns from its origin's axes to its face's
  std::vector<double> weights_;        // of each half-edge, in its face
  std::vector<Vec2> steps_;            // of each half-edge: its vector in steps, in its face's axes
  std::vector<std::uint8_t> locked_;   // of each vertex: the axis that cannot move; 2: none; 3: both
  std::vector<std::int32_t> first_;    // of each vertex: start of its entries
  std::vector<Entry> entries_;
  std::vector<float> diagonal_;
  std::vector<Vec2> shift_;  // of each vertex: offset from its lattice point, in steps
};

}  // namespace

void settle(const CreasedSurface& surface, const std::vector<Vec3>& directions,
            const std::vector<Hold>& holds, int threads, Lattice& lattice, std::vector<Vec3>& points) {
  Settler(surface, directions, holds, threads, lattice, points).run();
}

}  // namespace abut::preprocess
