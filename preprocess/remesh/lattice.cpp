#include "preprocess/remesh/lattice.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;
using Vec2 = Eigen::Vector2d;

constexpr double kLengthWeight = 0.3;
constexpr double kStepCost = 0.05;  // of a path across an edge, whatever it does there

// v in the axes of face f.
Vec2 in_axes(const CreasedSurface& s, const std::vector<Vec3>& directions, std::int32_t f, const Vec3& v) {
  const Vec3& q = directions[f];
  const Vec3 n = s.double_area(f);
  const double length = n.norm();
  return {v.dot(q), length > 0 ? v.dot(n.cross(q)) / length : 0};
}

// The axis along which a crease's offset must stay zero; 2 where there is none.
std::uint8_t locked_axis(const CreasedSurface& s, const std::vector<Vec3>& directions, std::int32_t h) {
  if (!s.crease[h]) return 2;
  const Vec2 e = in_axes(s, directions, h / 3, s.edge(h));
  return std::abs(e.x()) >= std::abs(e.y()) ? 1 : 0;
}

// Moves charges until none is left.
class Flow {
 public:
  Flow(const CreasedSurface& s, const std::vector<Vec3>& directions, std::vector<Vec2> real, Lattice& lattice)
      : s_(s), lattice_(lattice), real_(std::move(real)) {
    const auto n = static_cast<std::size_t>(s.mesh.halfedge_slots());
    wanted_.resize(n);
    locked_.assign(n, 2);
    for (std::int32_t h = 0; h < s.mesh.halfedge_slots(); ++h) {
      const std::int32_t t = s.mesh.twin(h);
      if (t < h) continue;
      const double size = (s.sizes[s.mesh.origin(h)] + s.sizes[s.mesh.target(h)]) / 2;
      const Vec2 e = in_axes(s, directions, h / 3, s.edge(h)) / size;
      const Vec2 e_twin = in_axes(s, directions, t / 3, s.edge(t)) / size;
      wanted_[h] = (e - turned(e_twin, -lattice.turns[h])) / 2;
      wanted_[t] = -turned(wanted_[h], lattice.turns[h]);
      locked_[h] = locked_axis(s, directions, h);
      if (locked_[h] < 2) locked_[t] = (locked_[h] + lattice.turns[h]) % 2;
    }
    distance_.assign(4 * n / 3, 0);
    reached_.assign(4 * n / 3, 0);
    entered_.assign(4 * n / 3, -1);
  }

  std::size_t run() {
    std::vector<std::int32_t> charged = find_charged();
    const std::size_t count = charged.size();
    // Near pairs first, so that no path is led around by a charge that has a closer partner.
    for (double limit = 0.25; !charged.empty() && limit < 2e9; limit *= limit < 64 ? 2 : 1e7) {
      for (const std::int32_t f : charged) {
        while (release(f, limit)) {
        }
      }
      charged = find_charged();
    }
    return count;
  }

  std::vector<std::int32_t> find_charged() const {
    std::vector<std::int32_t> out;
    for (std::int32_t f = 0; f < s_.mesh.face_slots(); ++f) {
      if (!lattice_.charge(f).isZero()) out.push_back(f);
    }
    return out;
  }

 private:
  struct Entry {
    double distance;
    std::int32_t state;  // 4 face + direction of the charge carried
    bool operator<(const Entry& other) const {
      return distance > other.distance || (distance == other.distance && state > other.state);
    }
  };

  static Offset unit(int direction) { return turned(Offset(1, 0), direction); }

  void start(std::priority_queue<Entry>& queue, std::int32_t f) {
    const Offset charge = lattice_.charge(f);
    for (int direction = 0; direction < 4; ++direction) {
      if (charge.dot(unit(direction)) > 0) reach(queue, 4 * f + direction, 0, -1);
    }
  }

  void reach(std::priority_queue<Entry>& queue, std::int32_t state, double distance, std::int32_t through) {
    if (reached_[state] == search_ && distance_[state] <= distance) return;
    reached_[state] = search_;
    distance_[state] = distance;
    entered_[state] = through;
    queue.push({distance, state});
  }

  // Carries one unit of the charge of f to where it cancels; false if there is none or no such place within
  // the limit.
  bool release(std::int32_t f, double limit) {
    ++search_;
    std::priority_queue<Entry> queue;
    start(queue, f);
    while (!queue.empty()) {
      const Entry e = queue.top();
      queue.pop();
      if (e.distance > distance_[e.state]) continue;
      if (e.distance > limit) return false;
      const std::int32_t g = e.state / 4;
      const Offset carried = unit(e.state % 4);
      if (entered_[e.state] >= 0 && cancels(f, g, carried)) {
        apply(e.state);
        return true;
      }
      for (std::int32_t h = 3 * g; h < 3 * g + 3; ++h) {
        if (locked_[h] < 2 && carried[locked_[h]] != 0) continue;
        const Vec2 u = carried.cast<double>(), d = lattice_.offsets[h].cast<double>();
        const double cost = kStepCost + std::max(0.0, 1 + 2 * (real_[h] - d).dot(u)) +
                            kLengthWeight * std::max(0.0, 1 + 2 * (wanted_[h] - d).dot(u));
        const std::int32_t to = 4 * (s_.mesh.twin(h) / 3) + (e.state + lattice_.turns[h]) % 4;
        reach(queue, to, e.distance + cost, h);
      }
    }
    return false;
  }

  // At the start the carried unit has already gone when it comes back turned.
  bool cancels(std::int32_t f, std::int32_t g, const Offset& carried) const {
    return g != f && lattice_.charge(g).dot(carried) < 0;
  }

  void apply(std::int32_t state) {
    while (entered_[state] >= 0) {
      const std::int32_t h = entered_[state], t = s_.mesh.twin(h);
      const int direction = (state + 4 - lattice_.turns[h]) % 4;
      lattice_.offsets[h] -= unit(direction);
      lattice_.offsets[t] = -turned(lattice_.offsets[h], lattice_.turns[h]);
      state = 4 * (h / 3) + direction;
    }
  }

  const CreasedSurface& s_;
  Lattice& lattice_;
  std::vector<Vec2> real_;            // steps before rounding
  std::vector<Vec2> wanted_;          // steps that the edges' own lengths ask for
  std::vector<std::uint8_t> locked_;  // axis that must stay zero; 2: none
  std::vector<double> distance_;
  std::vector<std::uint32_t> reached_;  // in which search
  std::vector<std::int32_t> entered_;   // through which half-edge
  std::uint32_t search_ = 0;
};

}  // namespace

std::vector<std::uint8_t> match(const CreasedSurface& s, const std::vector<Vec3>& directions) {
  const HalfedgeMesh& mesh = s.mesh;
  std::vector<std::uint8_t> turns(static_cast<std::size_t>(mesh.halfedge_slots()));
  for (std::int32_t h = 0; h < mesh.halfedge_slots(); ++h) {
    const std::int32_t t = mesh.twin(h);
    if (t < h) continue;
    const Vec3 e = s.edge(h);
    const Vec2 a = in_axes(s, directions, h / 3, e), b = in_axes(s, directions, t / 3, e);
    // The edge's angle in either face's axes; their difference is the turn.
    const double difference = std::atan2(b.y(), b.x()) - std::atan2(a.y(), a.x());
    const int r = static_cast<int>(std::lround(difference / (std::numbers::pi / 2)));
    turns[h] = static_cast<std::uint8_t>(r & 3);
    turns[t] = static_cast<std::uint8_t>(-r & 3);
  }
  return turns;
}

std::vector<int> turns_around(const HalfedgeMesh& mesh, const std::vector<std::uint8_t>& turns) {
  std::vector<int> sums(static_cast<std::size_t>(mesh.vertex_slots()), 0);
  for (std::int32_t h = 0; h < mesh.halfedge_slots(); ++h) {
    if (mesh.alive(h)) sums[mesh.origin(h)] += turns[h];
  }
  for (int& sum : sums) sum &= 3;
  return sums;
}

ConsistentLattice make_lattice(const CreasedSurface& s, const std::vector<Vec3>& directions,
                               std::vector<std::uint8_t> turns, const std::vector<Vec3>& points) {
  const HalfedgeMesh& mesh = s.mesh;
  ConsistentLattice result;
  Lattice& lattice = result.lattice;
  lattice.turns = std::move(turns);
  lattice.offsets.assign(static_cast<std::size_t>(mesh.halfedge_slots()), Offset::Zero());
  std::vector<Vec2> steps(lattice.offsets.size());
  for (std::int32_t h = 0; h < mesh.halfedge_slots(); ++h) {
    const std::int32_t t = mesh.twin(h), a = mesh.origin(h), b = mesh.target(h);
    if (t < h) continue;
    const double size = (s.sizes[a] + s.sizes[b]) / 2;
    const Vec3 step = (points[b] - points[a]) / size;
    Vec2 real = (in_axes(s, directions, h / 3, step) +
                 turned(in_axes(s, directions, t / 3, step), -lattice.turns[h])) /
                2;
    if (const int axis = locked_axis(s, directions, h); axis < 2) real[axis] = 0;
    steps[h] = real;
    steps[t] = -turned(real, lattice.turns[h]);
    lattice.offsets[h] = {static_cast<int>(std::lround(real.x())), static_cast<int>(std::lround(real.y()))};
    lattice.offsets[t] = -turned(lattice.offsets[h], lattice.turns[h]);
  }
  Flow flow(s, directions, std::move(steps), lattice);
  result.charges = flow.run();
  result.left = flow.find_charged().size();
  return result;
}

}  // namespace abut::preprocess
