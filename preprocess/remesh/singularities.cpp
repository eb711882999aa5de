#include "preprocess/remesh/singularities.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <queue>

namespace abut::preprocess {
namespace {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

constexpr double kLeastCost = 0.3;      // of a path along an edge of the wanted length, plus the turn's
constexpr double kLimits[] = {0.5, 1};  // of a path's cost, near pairs first
constexpr double kHalo = 2.0;  // around a path directions within this many wanted lengths are smoothed again
constexpr int kSweeps = 80;

struct Entry {
  double distance;
  std::int32_t v;
  bool operator<(const Entry& other) const {
    return distance > other.distance || (distance == other.distance && v > other.v);
  }
};

using Complex = std::complex<double>;

// Complex product without the standard library's handling of infinities.
Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Axes in the plane of a face, the first along its first edge; directions are complex numbers in them.
struct Frame {
  Vec3 x, y;  // unit
  Complex of(const Vec3& v) const { return {v.dot(x), v.dot(y)}; }
  Vec3 in_space(const Complex& z) const { return (z.real() * x + z.imag() * y).normalized(); }
};

// Smooths directions near some edges while the turns between faces are held fixed.
class Smoother {
 public:
  Smoother(const CreasedSurface& s, const std::vector<std::uint8_t>& turns,
           const std::vector<std::int32_t>& edges, std::vector<Vec3>& directions)
      : s_(s), mesh_(s.mesh), turns_(turns), changed_(edges), directions_(directions) {}

  void run() {
    const std::vector<std::int32_t> faces = halo();
    prepare(faces);
    std::vector<Complex> z;
    z.reserve(faces.size());
    for (const std::int32_t f : faces) z.push_back(frames_[f].of(directions_[f]));
    for (int k = 0; k < kSweeps; ++k) {
      for (std::size_t i = 0; i < faces.size(); ++i) {
        Complex sum = fixed_[i];
        for (const Neighbour& n : neighbours_[i]) sum += times(n.factor, z[n.to]);
        const double length = std::sqrt(std::norm(sum));
        if (length > 1e-6) z[i] = sum / length;
      }
    }
    for (std::size_t i = 0; i < faces.size(); ++i) directions_[faces[i]] = frames_[faces[i]].in_space(z[i]);
  }

 private:
  // The faces within kHalo of the changed edges, in ascending distance.
  std::vector<std::int32_t> halo() const {
    std::vector<std::int32_t> faces;
    std::vector<double> distance(static_cast<std::size_t>(mesh_.face_slots()), 1e300);
    std::priority_queue<Entry> queue;
    for (const std::int32_t h : changed_) {
      for (const std::int32_t f : {h / 3, mesh_.twin(h) / 3}) {
        if (distance[f] > 0) queue.push({distance[f] = 0, f});
      }
    }
    while (!queue.empty()) {
      const Entry e = queue.top();
      queue.pop();
      if (e.distance > distance[e.v]) continue;
      faces.push_back(e.v);
      for (std::int32_t h = 3 * e.v; h < 3 * e.v + 3; ++h) {
        const std::int32_t g = mesh_.twin(h) / 3;
        const double next = e.distance + step(h);
        if (next < kHalo && next < distance[g]) queue.push({distance[g] = next, g});
      }
    }
    return faces;
  }

  Vec3 centroid(std::int32_t f) const {
    const auto [a, b, c] = mesh_.triangle(f);
    return (s_.at(a) + s_.at(b) + s_.at(c)) / 3;
  }

  double step(std::int32_t h) const {
    return (centroid(h / 3) - centroid(mesh_.twin(h) / 3)).norm() / s_.sizes[mesh_.origin(h)];
  }

  // The direction that a neighbour suggests, as a factor of that neighbour's direction.
  struct Neighbour {
    std::int32_t to;
    Complex factor;
  };

  void prepare(const std::vector<std::int32_t>& faces) {
    frames_.resize(static_cast<std::size_t>(mesh_.face_slots()));
    std::vector<std::int32_t> number(frames_.size(), -1);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      number[faces[i]] = static_cast<std::int32_t>(i);
      frames_[faces[i]] = frame(faces[i]);
      for (std::int32_t h = 3 * faces[i]; h < 3 * faces[i] + 3; ++h)
        frames_[mesh_.twin(h) / 3] = frame(mesh_.twin(h) / 3);
    }
    neighbours_.resize(faces.size());
    fixed_.assign(faces.size(), 0);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const std::int32_t h = 3 * faces[i] + k, g = mesh_.twin(h) / 3;
        neighbours_[i][k] = {std::max(0, number[g]), factor(h)};
        if (number[g] >= 0) continue;
        fixed_[i] += times(neighbours_[i][k].factor, frames_[g].of(directions_[g]));
        neighbours_[i][k].factor = 0;
      }
    }
  }

  Frame frame(std::int32_t f) const {
    const Vec3 x = s_.edge(3 * f).normalized();
    return {x, s_.double_area(f).normalized().cross(x)};
  }

  // Unfolds the face across h about h into the plane of h's face and rotates its axes; the edge runs there in
  // the opposite direction.
  Complex factor(std::int32_t h) const {
    static constexpr std::array<std::array<double, 2>, 4> kTurns = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
    const std::int32_t f = h / 3, t = mesh_.twin(h), g = t / 3;
    const double apart = (centroid(f) - centroid(g)).norm(), length = s_.edge(h).norm();
    const Vec3 e = s_.edge(h) / std::max(length, 1e-300);
    const Complex unfolded = times(frames_[f].of(e), std::conj(frames_[g].of(e)));
    const auto& [cosine, sine] = kTurns[turns_[h]];
    return std::min(10.0, length / std::max(apart, 1e-300)) * times(unfolded, {cosine, sine});
  }

  const CreasedSurface& s_;
  const HalfedgeMesh& mesh_;
  const std::vector<std::uint8_t>& turns_;
  const std::vector<std::int32_t>& changed_;
  std::vector<Vec3>& directions_;
  std::vector<Frame> frames_;                         // of the faces involved
  std::vector<std::array<Neighbour, 3>> neighbours_;  // of the smoothed faces
  std::vector<Complex> fixed_;                        // of the smoothed faces: sum over fixed neighbours
};

class Canceller {
 public:
  Canceller(const CreasedSurface& s, std::vector<Vec3>& directions, std::vector<std::uint8_t>& turns)
      : s_(s), mesh_(s.mesh), directions_(directions), turns_(turns), sums_(turns_around(s.mesh, turns)) {
    distance_.assign(s.positions.size(), 0);
    reached_.assign(s.positions.size(), 0);
    entered_.assign(s.positions.size(), -1);
    real_.assign(turns.size(), std::numeric_limits<double>::quiet_NaN());
    lengths_.assign(turns.size(), 0);
  }

  std::size_t run() {
    std::size_t pairs = 0;
    for (const double limit : kLimits) {
      for (std::int32_t v = 0; v < mesh_.vertex_slots(); ++v) {
        if (sums_[v] == 3 && mesh_.leaving(v) >= 0) pairs += join(v, limit);
      }
    }
    smooth_across(s_, turns_, changed_, directions_);
    return pairs;
  }

 private:
  Vec2 in_axes(std::int32_t f, const Vec3& v) const {
    return {v.dot(directions_[f]), v.dot(s_.double_area(f).normalized().cross(directions_[f]))};
  }

  // Cost of one more quarter turn across h.
  double cost(std::int32_t h) {
    if (std::isnan(real_[h])) {
      const Vec3 e = s_.edge(h);
      const Vec2 a = in_axes(h / 3, e), b = in_axes(mesh_.twin(h) / 3, e);
      real_[h] = std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b)) / (std::numbers::pi / 2);
      lengths_[h] = e.norm() / s_.sizes[mesh_.origin(h)];
    }
    const double error = std::remainder(real_[h] - turns_[h], 4.0);
    return lengths_[h] * (kLeastCost + std::max(0.0, 1 - 2 * error));
  }

  // Cancels v, whose turns are one too few, with the nearest vertex that has one too many.
  bool join(std::int32_t v, double limit) {
    ++search_;
    std::priority_queue<Entry> queue;
    const auto reach = [&](std::int32_t w, double distance, std::int32_t through) {
      if (reached_[w] == search_ && distance_[w] <= distance) return;
      reached_[w] = search_;
      distance_[w] = distance;
      entered_[w] = through;
      queue.push({distance, w});
    };
    reach(v, 0, -1);
    while (!queue.empty()) {
      const Entry e = queue.top();
      queue.pop();
      if (e.distance > distance_[e.v]) continue;
      if (e.distance > limit) return false;
      if (sums_[e.v] == 1) {
        apply(v, e.v);
        return true;
      }
      const std::int32_t start = mesh_.leaving(e.v);
      std::int32_t h = start;
      do {
        reach(mesh_.target(h), e.distance + cost(h), h);
        h = mesh_.around(h);
      } while (h != start);
    }
    return false;
  }

  void apply(std::int32_t from, std::int32_t to) {
    sums_[from] = sums_[to] = 0;
    for (std::int32_t v = to; v != from; v = mesh_.origin(entered_[v])) {
      const std::int32_t h = entered_[v], t = mesh_.twin(h);
      turns_[h] = static_cast<std::uint8_t>((turns_[h] + 1) & 3);
      turns_[t] = static_cast<std::uint8_t>((turns_[t] + 3) & 3);
      changed_.push_back(h);
    }
  }

  const CreasedSurface& s_;
  const HalfedgeMesh& mesh_;
  std::vector<Vec3>& directions_;
  std::vector<std::uint8_t>& turns_;
  std::vector<int> sums_;
  std::vector<double> real_;  // of each half-edge: quarter turns between the directions; NaN until computed
  std::vector<double> lengths_;  // of each half-edge: length over the wanted length
  std::vector<double> distance_;
  std::vector<std::uint32_t> reached_;
  std::vector<std::int32_t> entered_;
  std::vector<std::int32_t> changed_;
  std::uint32_t search_ = 0;
};

}  // namespace

void smooth_across(const CreasedSurface& surface, const std::vector<std::uint8_t>& turns,
                   const std::vector<std::int32_t>& edges, std::vector<Vec3>& directions) {
  if (!edges.empty()) Smoother(surface, turns, edges, directions).run();
}

std::size_t cancel_singularities(const CreasedSurface& surface, std::vector<Vec3>& directions,
                                 std::vector<std::uint8_t>& turns) {
  return Canceller(surface, directions, turns).run();
}

}  // namespace abut::preprocess
