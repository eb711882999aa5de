#include "preprocess/remesh/creased_surface.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <queue>

#include "preprocess/remesh/no_quads.h"
#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

constexpr double kLongest = 0.75;  // length of an edge over the wanted length
// Largest number of faces after splitting, per wanted square of the area and per face of the input. An even
// surface needs some 8 per square, and a cylinder of 64 sides, each of long single triangles, 66. Needles
// need many more.
constexpr double kMaxFaces = 150, kMaxOfInput = 8;
constexpr double kFlat = 1e-3;         // sine of the angle between faces that are one flat part
constexpr double kTie = 1e-6;          // of cotangents: four points on a circle, up to rounding
constexpr double kMaxFlips = 50;       // over the number of faces: ends the loop even under rounding
constexpr double kShortestCrease = 3;  // of a connected piece of creases, over the wanted length
constexpr double kReach = 0.5;         // of the filter, over the wanted length
constexpr double kSigma = 0.35;    // difference of unit normals at which the filter treats an edge as sharp
constexpr int kMaxRounds = 80;     // of the filter
constexpr double kAligned = 0.35;  // largest sine of the angle between a crease and the field

// The faces' unit normals, smoothed over about half the wanted length except across sharp edges [Zheng et al.
// 2011, bilateral normal filtering]: noise disappears, and the turn of a rounded edge concentrates in few
// edges.
std::vector<Eigen::Vector3d> filtered_normals(const CreasedSurface& s, int threads) {
  const HalfedgeMesh& mesh = s.mesh;
  const auto n = static_cast<std::size_t>(mesh.face_slots());
  std::vector<Eigen::Vector3d> normals(n), next(n);
  std::vector<double> areas(n);
  double spacing = 0;
  for (std::int32_t f = 0; f < mesh.face_slots(); ++f) {
    const Eigen::Vector3d d = s.double_area(f);
    areas[f] = d.norm();
    normals[f] = areas[f] > 0 ? Eigen::Vector3d(d / areas[f]) : Eigen::Vector3d::Zero();
    spacing += std::sqrt(areas[f]) / s.sizes[mesh.origin(3 * f)] / static_cast<double>(n);
  }
  // A step of the filter reaches about half a face's extent; the reach of many grows like that of a random
  // walk.
  const int rounds =
      std::clamp(static_cast<int>(std::lround(std::pow(kReach / (0.5 * spacing), 2))), 4, kMaxRounds);
  for (int k = 0; k < rounds; ++k) {
    parallel_for(
        mesh.face_slots(), threads,
        [&](std::int64_t i, int) {
          const auto f = static_cast<std::int32_t>(i);
          Eigen::Vector3d sum = areas[f] * normals[f];
          for (std::int32_t h = 3 * f; h < 3 * f + 3; ++h) {
            const std::int32_t g = mesh.twin(h) / 3;
            sum += areas[g] * std::exp(-(normals[g] - normals[f]).squaredNorm() / (2 * kSigma * kSigma)) *
                   normals[g];
          }
          next[f] = sum.norm() > 0 ? Eigen::Vector3d(sum.normalized()) : normals[f];
        },
        4096);
    normals.swap(next);
  }
  return normals;
}

void mark_creases(CreasedSurface& s, double degrees, int threads) {
  const HalfedgeMesh& mesh = s.mesh;
  const double cosine = std::cos(degrees * std::numbers::pi / 180);
  const std::vector<Eigen::Vector3d> normals = filtered_normals(s, threads);
  s.crease.assign(static_cast<std::size_t>(mesh.halfedge_slots()), 0);
  for (std::int32_t h = 0; h < mesh.halfedge_slots(); ++h)
    s.crease[h] = normals[h / 3].dot(normals[mesh.twin(h) / 3]) < cosine ? 1 : 0;
  s.normals = normals;
}

void drop_short_creases(CreasedSurface& s) {
  const HalfedgeMesh& mesh = s.mesh;
  std::vector<char> seen(s.crease.size(), 0);
  std::vector<std::int32_t> piece, stack;
  for (std::int32_t start = 0; start < mesh.halfedge_slots(); ++start) {
    if (!s.crease[start] || seen[start]) continue;
    piece.clear();
    stack = {start};
    seen[start] = seen[mesh.twin(start)] = 1;
    double length = 0;
    while (!stack.empty()) {
      const std::int32_t h = stack.back();
      stack.pop_back();
      piece.push_back(h);
      length += s.edge(h).norm() / s.sizes[mesh.origin(h)];
      for (const std::int32_t end : {h, mesh.twin(h)}) {
        for (std::int32_t e = mesh.around(end); e != end; e = mesh.around(e)) {
          if (!s.crease[e] || seen[e]) continue;
          seen[e] = seen[mesh.twin(e)] = 1;
          stack.push_back(e);
        }
      }
    }
    if (length >= kShortestCrease) continue;
    for (const std::int32_t h : piece) s.crease[h] = s.crease[mesh.twin(h)] = 0;
  }
}

void split(CreasedSurface& s, std::int32_t h) {
  const std::int32_t n = HalfedgeMesh::next(h), tp = HalfedgeMesh::previous(s.mesh.twin(h));
  const std::int32_t a = s.mesh.origin(h), b = s.mesh.target(h);
  const char crease = s.crease[h], crease_n = s.crease[n], crease_tp = s.crease[tp];
  s.mesh.split(h);
  s.positions.push_back((s.at(a) + s.at(b)) / 2);
  s.sizes.push_back((s.sizes[a] + s.sizes[b]) / 2);
  s.crease.insert(s.crease.end(), {crease, crease_n, 0, crease, 0, crease_tp});
  s.crease[n] = s.crease[tp] = 0;
  if (!s.normals.empty()) {
    s.normals.push_back(s.normals[h / 3]);
    s.normals.push_back(s.normals[s.mesh.twin(h) / 3]);
  }
}

// Upper limit of the number of faces after splitting.
double most_faces(const CreasedSurface& s) {
  double squares = 0;
  for (std::int32_t f = 0; f < s.mesh.face_slots(); ++f) {
    const double size = s.sizes[s.mesh.origin(3 * f)];
    squares += s.double_area(f).norm() / (2 * size * size);
  }
  return kMaxFaces * squares + kMaxOfInput * s.mesh.face_slots();
}

// Splits edges until all are short enough, the longest first, relative to the wanted length.
class Refiner {
 public:
  explicit Refiner(CreasedSurface& s) : s_(s), most_(most_faces(s)) {}

  void split_all() {
    for (std::int32_t h = 0; h < s_.mesh.halfedge_slots(); ++h)
      if (h < s_.mesh.twin(h)) push(h);
    while (!queue_.empty()) {
      const Entry e = queue_.top();
      queue_.pop();
      if (s_.mesh.origin(e.h) == e.a && s_.mesh.target(e.h) == e.b) split_one(e.h);
    }
  }

  // Splits the edges between flat parts alone, and keeps the triangles of each part Delaunay by flips:
  // between the long sides of a strip come triangles across it, two for each split. Splitting edges within
  // the strip, too, would triple them each time that its parts are halved.
  void split_between_flat_parts() {
    flat_stay_ = true;
    for (std::int32_t h = 0; h < s_.mesh.halfedge_slots(); ++h) suspects_.push_back(h);
    flip_suspects();
    split_all();
    flat_stay_ = false;
  }

 private:
  struct Entry {
    double length;
    std::int32_t h, a, b;
    bool operator<(const Entry& other) const {
      return length < other.length || (length == other.length && h > other.h);
    }
  };

  void push(std::int32_t h) {
    const std::int32_t a = s_.mesh.origin(h), b = s_.mesh.target(h);
    const double length = s_.edge(h).norm() / std::min(s_.sizes[a], s_.sizes[b]);
    if (length > kLongest && !(flat_stay_ && flat(h))) queue_.push({length, h, a, b});
  }

  void split_one(std::int32_t edge) {
    split(s_, edge);
    if (s_.mesh.face_slots() > most_)
      throw TooMuchWork(fmt::format(
          "the surface's long thin triangles ask for more than {:.0f} faces where its area is worth {:.0f} "
          "squares: it is a needle, or has triangles like needles; take more quads, remesh it, or leave its "
          "points out",
          most_, most_ / kMaxFaces));
    const std::int32_t start = s_.mesh.leaving(s_.mesh.vertex_slots() - 1);
    std::int32_t h = start;
    do {
      push(h);
      push(HalfedgeMesh::next(h));  // two of these have changed their numbers
      if (flat_stay_) suspects_.push_back(HalfedgeMesh::next(h));
      h = s_.mesh.around(h);
    } while (h != start);
    flip_suspects();
  }

  bool flat(std::int32_t h) const {
    const Eigen::Vector3d u = s_.double_area(h / 3), v = s_.double_area(s_.mesh.twin(h) / 3);
    return u.dot(v) > 0 && u.cross(v).norm() <= kFlat * u.norm() * v.norm();
  }

  // Whether the corners opposite the edge see it at angles of more than 180 degrees together.
  bool flipped_is_better(std::int32_t h) const {
    double cotangents = 0;
    for (const std::int32_t side : {h, s_.mesh.twin(h)}) {
      const Eigen::Vector3d to_a = s_.edge(HalfedgeMesh::previous(side)),
                            to_b = -s_.edge(HalfedgeMesh::next(side));
      cotangents -= to_a.dot(to_b) / to_a.cross(to_b).norm();
    }
    return cotangents > kTie;
  }

  // [Lawson 1977]
  void flip_suspects() {
    for (; !suspects_.empty();) {
      const std::int32_t h = suspects_.back();
      suspects_.pop_back();
      if (flips_ > kMaxFlips * most_ || !flat(h) || !flipped_is_better(h) || !s_.mesh.can_flip(h)) continue;
      const std::int32_t t = s_.mesh.twin(h);
      s_.mesh.flip(h);
      ++flips_;
      for (const std::int32_t side : {h, t})
        for (const std::int32_t other : {HalfedgeMesh::next(side), HalfedgeMesh::previous(side)}) {
          suspects_.push_back(other);
          push(other);
        }
    }
  }

  CreasedSurface& s_;
  double most_;
  bool flat_stay_ = false;  // whether edges within flat parts are left
  double flips_ = 0;
  std::priority_queue<Entry> queue_;    // may hold edges that are there no more
  std::vector<std::int32_t> suspects_;  // half-edges that may be flipped
};

void refine(CreasedSurface& s) {
  const CreasedSurface given = s;
  try {
    Refiner(s).split_all();
  } catch (const TooMuchWork&) {
    s = given;
    Refiner refiner(s);
    refiner.split_between_flat_parts();
    refiner.split_all();
  }
}

// Splits non-crease edges that join two creases, since they would couple the creases' lattice points.
void part_creases(CreasedSurface& s) {
  std::vector<char> on_crease(s.positions.size(), 0);
  for (std::int32_t h = 0; h < s.mesh.halfedge_slots(); ++h) {
    if (s.crease[h]) on_crease[s.mesh.origin(h)] = 1;
  }
  const std::int32_t count = s.mesh.halfedge_slots();
  for (std::int32_t h = 0; h < count; ++h) {
    const std::int32_t a = s.mesh.origin(h), b = s.mesh.target(h);
    if (h < s.mesh.twin(h) && !s.crease[h] && a < static_cast<std::int32_t>(on_crease.size()) &&
        b < static_cast<std::int32_t>(on_crease.size()) && on_crease[a] && on_crease[b])
      split(s, h);
  }
}

}  // namespace

void keep_aligned_creases(CreasedSurface& s, const std::vector<Eigen::Vector3d>& directions) {
  const HalfedgeMesh& mesh = s.mesh;
  for (std::int32_t h = 0; h < mesh.halfedge_slots(); ++h) {
    if (!s.crease[h] || h > mesh.twin(h)) continue;
    const Eigen::Vector3d e = s.edge(h).normalized();
    bool aligned = true;
    for (const std::int32_t f : {h / 3, mesh.twin(h) / 3}) {
      const double c = std::abs(directions[f].dot(e)),
                   d = std::abs(s.double_area(f).normalized().cross(directions[f]).dot(e));
      aligned &= std::min(c, d) < kAligned;
    }
    if (!aligned) s.crease[h] = s.crease[mesh.twin(h)] = 0;
  }
  drop_short_creases(s);
}

Eigen::Vector3d CreasedSurface::double_area(std::int32_t f) const {
  return edge(3 * f).cross(edge(3 * f + 1));
}

CreasedSurface make_creased_surface(const TriangleMesh& closed, const std::vector<double>& sizes,
                                    double crease_degrees, int threads) {
  CreasedSurface s{
      HalfedgeMesh(closed), closed.vertices, sizes, std::vector<char>(3 * closed.triangles.size(), 0), {}};
  refine(s);
  mark_creases(s, crease_degrees, threads);
  drop_short_creases(s);
  part_creases(s);
  return s;
}

}  // namespace abut::preprocess
