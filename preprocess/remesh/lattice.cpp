#include "preprocess/remesh/lattice.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;
using Vec2 = Eigen::Vector2d;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kLengthWeight = 0.3;
constexpr double kStepCost = 0.05;  // of any step of a path across an edge
constexpr double kPairCost = 100;   // of ending two rows next to each other, in units of a path's cost
constexpr std::size_t kNear = 60;   // faces searched for an edge suited for that

// A bucket queue of states by distance, in steps of kStepCost: no edge costs less, so none leads back into
// the bucket that is being emptied [Denardo1979]. Distances beyond the last bucket share it.
class Buckets {
 public:
  static std::size_t bucket(double distance) {
    return static_cast<std::size_t>(std::min(distance / kStepCost, kMax));
  }

  void clear() {
    for (std::size_t b = now_; b < buckets_.size(); ++b) buckets_[b].clear();
    now_ = 0;
  }

  void push(double distance, std::int32_t state) {
    const std::size_t b = bucket(distance);
    if (b >= buckets_.size()) buckets_.resize(b + 1);
    buckets_[b].push_back(state);
  }

  // The next state, -1 if there is none; states may come repeatedly, and later than their distance warrants.
  std::int32_t pop() {
    while (now_ < buckets_.size() && buckets_[now_].empty()) ++now_;
    if (now_ == buckets_.size()) return -1;
    const std::int32_t state = buckets_[now_].back();
    buckets_[now_].pop_back();
    return state;
  }

  std::size_t now() const { return now_; }

 private:
  static constexpr double kMax = 1 << 16;
  std::vector<std::vector<std::int32_t>> buckets_;
  std::size_t now_ = 0;
};

// The axes of each face as vectors in space.
struct FaceAxes {
  Vec3 x, y;
  Vec2 of(const Vec3& v) const { return {v.dot(x), v.dot(y)}; }
};
std::vector<FaceAxes> axes_of(const CreasedSurface& s, const std::vector<Vec3>& directions) {
  std::vector<FaceAxes> axes;
  axes.reserve(directions.size());
  for (std::int32_t f = 0; f < s.mesh.face_slots(); ++f) {
    const Vec3 n = s.double_area(f);
    const double length = n.norm();
    axes.push_back({directions[f], length > 0 ? Vec3(n.cross(directions[f]) / length) : Vec3::Zero()});
  }
  return axes;
}

// The axis along which the offset of a crease edge must stay zero; 2 if there is none.
std::uint8_t locked_axis(const CreasedSurface& s, const std::vector<FaceAxes>& axes, std::int32_t h) {
  if (!s.crease[h]) return 2;
  const Vec2 e = axes[h / 3].of(s.edge(h));
  return std::abs(e.x()) >= std::abs(e.y()) ? 1 : 0;
}

// Moves charges along cheapest paths until all cancel or no further one can.
class Flow {
 public:
  Flow(const CreasedSurface& s, const std::vector<FaceAxes>& axes, const std::vector<Hold>& holds,
       std::vector<Vec2> real, Lattice& lattice)
      : s_(s), lattice_(lattice), real_(std::move(real)), turns_(turns_around(s.mesh, lattice.turns)) {
    for (const Hold hold : holds) free_.push_back(hold == Hold::kFree ? 1 : 0);
    const auto n = static_cast<std::size_t>(s.mesh.halfedge_slots());
    wanted_.resize(n);
    locked_.assign(n, 2);
    for (std::int32_t h = 0; h < s.mesh.halfedge_slots(); ++h) {
      const std::int32_t t = s.mesh.twin(h);
      if (t < h) continue;
      const double size = (s.sizes[s.mesh.origin(h)] + s.sizes[s.mesh.target(h)]) / 2;
      const Vec3 edge = s.edge(h) / size;
      const Vec2 e = axes[h / 3].of(edge), e_twin = -axes[t / 3].of(edge);
      wanted_[h] = (e - turned(e_twin, -lattice.turns[h])) / 2;
      wanted_[t] = -turned(wanted_[h], lattice.turns[h]);
      locked_[h] = locked_axis(s, axes, h);
      if (locked_[h] < 2) locked_[t] = (locked_[h] + lattice.turns[h]) % 2;
    }
    faces_.resize(n / 3);
    for (std::int32_t h = 0; h < s.mesh.halfedge_slots(); ++h) update(h);
    states_.resize(4 * n / 3);
  }

  std::size_t run() {
    std::vector<std::int32_t> charged = find_charged();
    const std::size_t count = charged.size();
    // Near pairs first, so that a path does not wind around a charge that has a closer partner.
    for (double limit = 1; !charged.empty() && limit < 2e9; limit *= limit < 64 ? 4 : 1e7) {
      for (const std::int32_t f : charged) {
        while (release(f, limit)) {
        }
      }
      charged = find_charged();
    }
    return count;
  }

  // Half-edges across which the axes were rotated.
  const std::vector<std::int32_t>& turned_across() const { return turned_; }

  std::vector<std::int32_t> find_charged() const {
    std::vector<std::int32_t> out;
    for (std::int32_t f = 0; f < s_.mesh.face_slots(); ++f) {
      if (!lattice_.charge(f).isZero()) out.push_back(f);
    }
    return out;
  }

 private:
  // A face's data for the search, in one cache line.
  struct alignas(64) Face {
    std::array<std::array<float, 4>, 3> costs{};  // of carrying a unit in each direction across each edge
    std::array<std::int32_t, 3> beyond{};         // 4 times the adjacent face + the quarter turns of its axes
    bool charged = false;
  };

  // Search state of a unit charge carried in a direction, at a face; its index is 4 face + direction.
  struct State {
    double distance = 0;
    std::uint32_t search = 0;   // the last search that reached it
    std::int32_t through = -1;  // half-edge through which it was reached
  };

  static Offset unit(int direction) { return turned(Offset(1, 0), direction); }

  // Updates the costs after a change of h's offset or turn.
  void update(std::int32_t h) {
    Face& face = faces_[h / 3];
    const Vec2 d = lattice_.offsets[h].cast<double>(), real = real_[h] - d, wanted = wanted_[h] - d;
    for (int direction = 0; direction < 4; ++direction) {
      const Offset carried = unit(direction);
      const Vec2 u = carried.cast<double>();
      const double cost = kStepCost + std::max(0.0, 1 + 2 * real.dot(u)) +
                          kLengthWeight * std::max(0.0, 1 + 2 * wanted.dot(u));
      const bool locked = locked_[h] < 2 && carried[locked_[h]] != 0;
      face.costs[h % 3][direction] = locked ? kInfinity : static_cast<float>(cost);
    }
    face.beyond[h % 3] = 4 * (s_.mesh.twin(h) / 3) + lattice_.turns[h];
    face.charged = !lattice_.charge(h / 3).isZero();
  }

  void update_both(std::int32_t h) {
    update(h);
    update(s_.mesh.twin(h));
  }

  void start(std::int32_t f) {
    ++search_;
    queue_.clear();
    const Offset charge = lattice_.charge(f);
    for (int direction = 0; direction < 4; ++direction) {
      if (charge.dot(unit(direction)) > 0) reach(4 * f + direction, 0, -1);
    }
  }

  void reach(std::int32_t state, double distance, std::int32_t through) {
    State& s = states_[state];
    if (distance > limit_ || (s.search == search_ && s.distance <= distance)) return;
    s = {distance, search_, through};
    queue_.push(distance, state);
  }

  // Carries one unit of the charge of f to where it cancels or, if that is farther by more than kPairCost, to
  // a charge perpendicular to it, and ends two rows; false if there is no such place within the limit.
  bool release(std::int32_t f, double limit) {
    limit_ = limit;
    start(f);
    std::int32_t across = -1;
    for (std::int32_t state = queue_.pop(); state >= 0; state = queue_.pop()) {
      const double distance = states_[state].distance;
      if (Buckets::bucket(distance) < queue_.now()) continue;
      if (distance > limit_) break;
      const std::int32_t g = state / 4;
      const Face& face = faces_[g];
      // A unit that returns rotated to its start would meet a charge from which it has already been removed.
      if (face.charged && g != f) {
        const Offset carried = unit(state % 4), charge = lattice_.charge(g);
        if (charge.dot(carried) < 0) {
          apply(state);
          return true;
        }
        if (across < 0 && distance + kPairCost <= limit_ && charge.squaredNorm() == 1 &&
            charge.dot(carried) == 0) {
          across = state;
          limit_ = distance + kPairCost;
        }
      }
      for (int k = 0; k < 3; ++k) {
        const std::int32_t beyond = face.beyond[k];
        reach((beyond & ~3) | ((state + beyond) & 3), distance + face.costs[k][state & 3], 3 * g + k);
      }
    }
    if (across < 0) return false;
    apply(across);
    end_rows(across / 4);
    return true;
  }

  struct Place {
    std::int32_t face, through;  // through: half-edge by which the charge arrives
    Offset charge;               // in the face's axes
  };

  // Rotates the axes across an edge near f by a quarter, which cancels the charge of f, a step along each
  // axis: between the singularities at the edge's ends a row along each axis ends. Without a suitable edge
  // the charge remains.
  void end_rows(std::int32_t f) {
    std::vector<Place> places{{f, -1, lattice_.charge(f)}};
    std::vector<std::int32_t> from{-1};
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place place = places[i];
      for (std::int32_t h = 3 * place.face; h < 3 * place.face + 3; ++h) {
        if (h == place.through || !fit(h)) continue;
        for (const int turn : {1, 3}) {
          const Offset& d = lattice_.offsets[h];
          if (!(place.charge + turned(d, -turn) - d).isZero()) continue;
          carry(places, from, i);
          turn_across(h, turn);
          return;
        }
      }
      for (std::int32_t h = 3 * place.face; h < 3 * place.face + 3 && places.size() < kNear; ++h) {
        const std::int32_t t = s_.mesh.twin(h);
        const auto same = [&](const Place& other) { return other.face == t / 3; };
        if (locked_[h] < 2 || std::any_of(places.begin(), places.end(), same)) continue;
        places.push_back({t / 3, t, turned(place.charge, lattice_.turns[h])});
        from.push_back(static_cast<std::int32_t>(i));
      }
    }
  }

  // Moves the charge from the first place to place i.
  void carry(const std::vector<Place>& places, const std::vector<std::int32_t>& from, std::size_t i) {
    for (; from[i] >= 0; i = static_cast<std::size_t>(from[i])) {
      const std::int32_t t = places[i].through, h = s_.mesh.twin(t);
      lattice_.offsets[t] += places[i].charge;
      lattice_.offsets[h] = -turned(lattice_.offsets[t], lattice_.turns[t]);
      update_both(h);
    }
  }

  // Whether the axes may be rotated across h.
  bool fit(std::int32_t h) const {
    const auto regular = [&](std::int32_t v) { return free_[v] != 0 && turns_[v] == 0; };
    return locked_[h] == 2 && regular(s_.mesh.origin(h)) && regular(s_.mesh.target(h));
  }

  // Rotates the axes across h and its path; the twin's side keeps its axes and offset.
  void turn_across(std::int32_t h, int turn) {
    for (const std::int32_t e : path_through(h)) {
      const std::int32_t t = s_.mesh.twin(e);
      lattice_.turns[e] = static_cast<std::uint8_t>((lattice_.turns[e] + turn) & 3);
      lattice_.turns[t] = static_cast<std::uint8_t>((lattice_.turns[t] - turn) & 3);
      lattice_.offsets[e] = turned(lattice_.offsets[e], -turn);
      real_[e] = turned(real_[e], -turn);
      wanted_[e] = turned(wanted_[e], -turn);
      turns_[s_.mesh.origin(e)] = (turns_[s_.mesh.origin(e)] + turn) & 3;
      turns_[s_.mesh.target(e)] = (turns_[s_.mesh.target(e)] - turn) & 3;
      turned_.push_back(e);
      update_both(e);
    }
  }

  // h, extended at both ends along edges of zero step until the path's ends are one lattice step apart.
  std::vector<std::int32_t> path_through(std::int32_t h) const {
    std::vector<std::int32_t> path{h};
    const double size = s_.sizes[s_.mesh.origin(h)];
    const auto off = [&](std::int32_t a, std::int32_t b) {
      return std::abs((s_.at(a) - s_.at(b)).norm() / size - 1);
    };
    for (bool longer = true; longer;) {
      const std::int32_t a = s_.mesh.origin(path.front()), b = s_.mesh.target(path.back());
      double best = off(a, b);
      std::int32_t before = -1, after = -1;
      const auto look = [&](std::int32_t v, std::int32_t other, bool at_end) {
        const std::int32_t start = s_.mesh.leaving(v);
        std::int32_t e = start;
        do {
          const std::int32_t w = s_.mesh.target(e);
          if (lattice_.offsets[e].isZero() && w != other && fit(e) && off(w, other) < best) {
            best = off(w, other);
            before = at_end ? -1 : s_.mesh.twin(e);
            after = at_end ? e : -1;
          }
          e = s_.mesh.around(e);
        } while (e != start);
      };
      look(a, b, false);
      look(b, a, true);
      if (before >= 0) path.insert(path.begin(), before);
      if (after >= 0) path.push_back(after);
      longer = before >= 0 || after >= 0;
    }
    return path;
  }

  void apply(std::int32_t state) {
    while (states_[state].through >= 0) {
      const std::int32_t h = states_[state].through, t = s_.mesh.twin(h);
      const int direction = (state + 4 - lattice_.turns[h]) % 4;
      lattice_.offsets[h] -= unit(direction);
      lattice_.offsets[t] = -turned(lattice_.offsets[h], lattice_.turns[h]);
      update_both(h);
      state = 4 * (h / 3) + direction;
    }
  }

  const CreasedSurface& s_;
  Lattice& lattice_;
  std::vector<Vec2> real_;            // steps before rounding
  std::vector<Vec2> wanted_;          // steps by the edges' own lengths
  std::vector<std::uint8_t> locked_;  // axis that must stay zero; 2: none
  std::vector<int> turns_;            // around the vertices
  std::vector<char> free_;            // of each vertex: whether it may become singular
  std::vector<std::int32_t> turned_;  // half-edges
  std::vector<Face> faces_;
  std::vector<State> states_;
  Buckets queue_;
  std::uint32_t search_ = 0;
  double limit_ = 0;  // largest distance of the search
};

}  // namespace

std::vector<std::uint8_t> match(const CreasedSurface& s, const std::vector<Vec3>& directions) {
  const HalfedgeMesh& mesh = s.mesh;
  const std::vector<FaceAxes> axes = axes_of(s, directions);
  std::vector<std::uint8_t> turns(static_cast<std::size_t>(mesh.halfedge_slots()));
  for (std::int32_t h = 0; h < mesh.halfedge_slots(); ++h) {
    const std::int32_t t = mesh.twin(h);
    if (t < h) continue;
    const Vec3 e = s.edge(h);
    // The edge's angles in the two faces' axes; their difference is the turn.
    const Vec2 a = axes[h / 3].of(e), b = axes[t / 3].of(e);
    const double cosine = a.dot(b), sine = a.x() * b.y() - a.y() * b.x();
    const int r = std::abs(cosine) >= std::abs(sine) ? (cosine >= 0 ? 0 : 2) : (sine > 0 ? 1 : 3);
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
                               const std::vector<Hold>& holds, std::vector<std::uint8_t> turns,
                               const std::vector<Vec3>& points) {
  const HalfedgeMesh& mesh = s.mesh;
  const std::vector<FaceAxes> axes = axes_of(s, directions);
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
    Vec2 real = (axes[h / 3].of(step) + turned(axes[t / 3].of(step), -lattice.turns[h])) / 2;
    if (const int axis = locked_axis(s, axes, h); axis < 2) real[axis] = 0;
    steps[h] = real;
    steps[t] = -turned(real, lattice.turns[h]);
    lattice.offsets[h] = {static_cast<int>(std::lround(real.x())), static_cast<int>(std::lround(real.y()))};
    lattice.offsets[t] = -turned(lattice.offsets[h], lattice.turns[h]);
  }
  Flow flow(s, axes, holds, std::move(steps), lattice);
  result.charges = flow.run();
  result.left = flow.find_charged().size();
  result.turned = flow.turned_across();
  return result;
}

}  // namespace abut::preprocess
