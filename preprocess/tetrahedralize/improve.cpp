#include "preprocess/tetrahedralize/improve.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "preprocess/tetrahedralize/cavity.h"

namespace abut::preprocess {
namespace {

constexpr int kMaxRing = 12;      // edges with more tetrahedra around them are not removed
constexpr double kPoor = 0.1;     // sine of the angle below which a vertex is worth its tetrahedra
constexpr double kSliver = 0.04;  // sine below which splitting edges and repairing is worthwhile
constexpr int kMendRounds = 3;
constexpr int kThoroughPasses = 3;
constexpr double kMaxSlivers = 0.05;  // share of all tetrahedra; with more, triangles are too large for the
                                      // wall
constexpr double kGain = 1e-4;        // least improvement of the worst sine by a change

using Eigen::Vector3d;

class Improver {
 public:
  Improver(EditableTets& tets, const ImproveParameters& parameters)
      : tets_(tets),
        wanted_(std::sin(parameters.wanted_degrees * std::numbers::pi / 180)),
        max_passes_(parameters.max_passes) {}

  ImproveResult run() {
    passes();
    if (split_flat()) passes();
    if (sliver_share() < kMaxSlivers) {
      thorough_ = true;
      max_passes_ = kThoroughPasses;
      passes();
    }
    return result_;
  }

 private:
  double sliver_share() const {
    std::size_t slivers = 0, all = 0;
    for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(tets_.slots()); ++slot)
      if (tets_.alive(slot)) {
        ++all;
        if (tets_.quality(slot) < kSliver) ++slivers;
      }
    return static_cast<double>(slivers) / static_cast<double>(all);
  }

  // Worst first; tetrahedra that a change creates wait for the next pass.
  void passes() {
    for (int pass = 0; pass < max_passes_; ++pass) {
      std::vector<std::pair<double, std::int32_t>> bad;
      for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(tets_.slots()); ++slot)
        if (tets_.alive(slot))
          if (const double q = tets_.quality(slot); q < wanted_) bad.emplace_back(q, slot);
      std::sort(bad.begin(), bad.end());
      const std::size_t before = result_.changes;
      for (const auto& [q, slot] : bad)
        if (tets_.alive(slot) && tets_.quality(slot) == q && work_on(slot)) ++result_.changes;
      if (result_.changes - before <= bad.size() / 200) break;
    }
  }

  bool work_on(std::int32_t slot) {
    return mend(slot) || (thorough_ && tets_.quality(slot) < kSliver && split_and_mend(slot));
  }

  // Inserts a vertex on an edge or face of a sliver or inside it, even if that makes things worse at first,
  // and repairs the surroundings; undone unless everything touched is better than the sliver was. This
  // overcomes slivers at which every single change makes things worse: those in a thin wall, between
  // triangles of both its sides.
  bool split_and_mend(std::int32_t slot) {
    const double before = tets_.quality(slot);
    for (const VertexPlace& place : vertex_places(tets_, slot)) {
      const Cavity cavity = start_cavity(tets_, place);
      if (!cavity.valid) continue;
      tets_.begin();
      fill_cavity(tets_, cavity);
      for (int round = 0; round < kMendRounds; ++round) {
        std::vector<std::pair<double, std::int32_t>> bad;
        for (const std::int32_t s : tets_.changed())
          if (const double q = tets_.quality(s); q < kPoor) bad.emplace_back(q, s);
        std::sort(bad.begin(), bad.end());
        bool any = false;
        for (const auto& [q, s] : bad)
          if (tets_.alive(s) && tets_.quality(s) == q && mend(s)) any = true;
        if (!any) break;
      }
      if (tets_.worst(tets_.changed()) > before + kGain) {
        tets_.commit();
        return true;
      }
      tets_.rollback();
    }
    return false;
  }

  bool mend(std::int32_t slot) {
    const Tetrahedron t = tets_.tet(slot);
    for (const auto& e : kEdges)
      if (remove_edge(t[e[0]], t[e[1]])) return true;
    for (int k = 0; k < 4; ++k)
      if (remove_face(slot, k)) return true;
    bool better = false;
    for (const std::int32_t v : t)
      if (!better && tets_.inner(v)) better = smooth(v);
    if (better && tets_.quality(slot) >= kPoor) return true;
    for (const std::int32_t v : t)
      if (tets_.inner(v) && collapse(v)) return true;
    return (tets_.quality(slot) < kPoor && insert(slot)) || better;
  }

  // Replaces the n tetrahedra around an edge by 2 (n - 2) over the triangulation of its ring whose worst
  // tetrahedron is best, by Klincsek's dynamic programming.
  bool remove_edge(std::int32_t a, std::int32_t b) {
    const auto ring = tets_.ring(a, b);
    if (!ring || ring->slots.size() > kMaxRing) return false;
    const double before = tets_.worst(ring->slots);
    const int n = static_cast<int>(ring->vertices.size());
    const auto& w = ring->vertices;
    double best[kMaxRing][kMaxRing];
    int choice[kMaxRing][kMaxRing];
    for (int i = n - 1; i >= 0; --i)
      for (int j = i + 1; j < n; ++j) {
        best[i][j] = j == i + 1 ? 2 : -10;
        choice[i][j] = i + 1;
        for (int k = i + 1; k < j; ++k) {
          double q = std::min(best[i][k], best[k][j]);
          if (q <= std::max(best[i][j], before + kGain)) continue;
          q = std::min({q, tets_.quality({w[i], w[k], w[j], b}), tets_.quality({w[j], w[k], w[i], a})});
          if (q > best[i][j]) {
            best[i][j] = q;
            choice[i][j] = k;
          }
        }
      }
    if (best[0][n - 1] <= before + kGain) return false;
    std::vector<Tetrahedron> added;
    collect(w, choice, 0, n - 1, a, b, added);
    tets_.replace(ring->slots, added);
    return true;
  }

  static void collect(const std::vector<std::int32_t>& w, const int (&choice)[kMaxRing][kMaxRing], int i,
                      int j, std::int32_t a, std::int32_t b, std::vector<Tetrahedron>& added) {
    if (j <= i + 1) return;
    const int k = choice[i][j];
    added.push_back({w[i], w[k], w[j], b});
    added.push_back({w[j], w[k], w[i], a});
    collect(w, choice, i, k, a, b, added);
    collect(w, choice, k, j, a, b, added);
  }

  // Replaces two tetrahedra at a face by three around the edge between their apexes.
  bool remove_face(std::int32_t slot, int k) {
    const std::int32_t other = tets_.across(slot, k);
    if (other < 0) return false;
    const Tetrahedron t = tets_.tet(slot);
    const std::int32_t p = t[k], q = tets_.apex(other, t, k);
    const std::int32_t f[3] = {t[kFaces[k][0]], t[kFaces[k][1]], t[kFaces[k][2]]};
    const std::array<Tetrahedron, 3> added{{{q, p, f[0], f[1]}, {q, p, f[1], f[2]}, {q, p, f[2], f[0]}}};
    const std::array<std::int32_t, 2> removed{slot, other};
    if (tets_.worst(added) <= tets_.worst(removed) + kGain) return false;
    tets_.replace(removed, added);
    return true;
  }

  // Moves an inner vertex to where its worst tetrahedron is best: a search along the axes, towards the mean
  // of its neighbours and away from the faces, with halving steps.
  bool smooth(std::int32_t v) {
    const std::vector<std::int32_t>& star = tets_.star(v);
    const Vector3d start = tets_.point(v);
    const double before = tets_.worst(star);
    Vector3d mean = Vector3d::Zero();
    double size = 0;
    for (const std::int32_t slot : star)
      for (const std::int32_t w : tets_.tet(slot)) {
        mean += tets_.point(w);
        size = std::max(size, (tets_.point(w) - start).norm());
      }
    mean /= static_cast<double>(4 * star.size());
    Vector3d here = start;
    double best = before;
    std::int32_t worst = star.front();  // the tetrahedron that rejected an attempt often rejects the next
    const auto attempt = [&](const Vector3d& point) {
      tets_.move(v, point);
      const double wanted = best + kGain / 4;
      if (tets_.quality(worst) <= wanted) return false;
      double q = 2;
      for (const std::int32_t slot : star) {
        q = std::min(q, tets_.quality(slot));
        if (q <= wanted) {
          worst = slot;
          return false;
        }
      }
      best = q;
      here = point;
      return true;
    };
    attempt(mean);
    attempt((mean + start) / 2);
    double step = size / 6;
    while (step > size / (best < kPoor ? 1000 : 100)) {
      bool moved = true;
      for (int round = 0; round < 3 && moved; ++round) {
        moved = false;
        const bool poor = best < kPoor;
        for (int i = 0; i < 27; ++i) {
          const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
          const Vector3d way(x, y, z);
          const double length = way.norm();
          if (length > 0 && (poor || length == 1) && attempt(here + step / length * way)) moved = true;
        }
      }
      step /= 2;
    }
    const bool better = best > before + kGain;
    tets_.move(v, better ? here : start);
    return better;
  }

  // Merges an inner vertex into one of its neighbours.
  bool collapse(std::int32_t v) {
    const std::vector<std::int32_t> star = tets_.star(v);
    double best = tets_.worst(star) + kGain;
    std::vector<Tetrahedron> added, candidate;
    std::vector<std::int32_t> neighbours;
    for (const std::int32_t slot : star)
      for (const std::int32_t w : tets_.tet(slot))
        if (w != v) neighbours.push_back(w);
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    for (const std::int32_t w : neighbours) {
      candidate.clear();
      for (const std::int32_t slot : star) {
        Tetrahedron t = tets_.tet(slot);
        if (std::find(t.begin(), t.end(), w) != t.end()) continue;
        *std::find(t.begin(), t.end(), v) = w;
        candidate.push_back(t);
        if (tets_.quality(t) <= best) break;
      }
      if (const double q = tets_.worst(candidate); !candidate.empty() && q > best) {
        best = q;
        added = candidate;
      }
    }
    if (added.empty()) return false;
    tets_.replace(star, added);
    return true;
  }

  // Gives every tetrahedron that has no vertex inside the solid such a vertex.
  bool split_flat() {
    const std::size_t before = result_.splits;
    for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(tets_.slots()); ++slot)
      if (tets_.alive(slot) && tets_.quality(slot) < -0.5) insert(slot);
    return result_.splits > before;
  }

  // Inserts a new vertex at the best of several places in a tetrahedron, replacing a cavity around it.
  bool insert(std::int32_t slot) {
    std::optional<Cavity> best;
    double gain = kGain;
    for (const VertexPlace& place : vertex_places(tets_, slot)) {
      Cavity cavity = dig_cavity(tets_, place);
      const double q = cavity.quality - tets_.worst(cavity.slots);
      if (cavity.quality <= 0 || q <= gain) continue;
      gain = q;
      best = std::move(cavity);
    }
    if (!best) return false;
    if (tets_.quality(slot) < -0.5) ++result_.splits;
    const std::int32_t v = fill_cavity(tets_, *best);
    if (best->inside) smooth(v);
    return true;
  }

  EditableTets& tets_;
  double wanted_;
  int max_passes_;
  bool thorough_ = false;  // whether to split an edge or face of slivers that nothing else improves
  ImproveResult result_;
};

}  // namespace

ImproveResult improve(TetrahedralMesh& mesh, const ImproveParameters& parameters) {
  EditableTets tets(mesh);
  const ImproveResult result = Improver(tets, parameters).run();
  mesh = tets.mesh();
  return result;
}

}  // namespace abut::preprocess
