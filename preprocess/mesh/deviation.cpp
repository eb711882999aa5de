#include "preprocess/mesh/deviation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr int kMaxIntervals = 64;  // between samples along a triangle's side

// Squared distance to a triangle, by its Voronoi regions of corners, edges and face [Ericson 2005, 5.1.5].
double squared_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return ap.squaredNorm();
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return bp.squaredNorm();
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return cp.squaredNorm();
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return (ap - d1 / (d1 - d3) * ab).squaredNorm();
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return (ap - d2 / (d2 - d6) * ac).squaredNorm();
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) return (bp - (d4 - d3) / (d4 - d3 + d5 - d6) * (c - b)).squaredNorm();
  const double sum = va + vb + vc;
  return (ap - vb / sum * ab - vc / sum * ac).squaredNorm();
}

BoxTree::Box box_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  BoxTree::Box box(a);
  box.extend(b);
  box.extend(c);
  return box;
}

// Calls visit(p) for points p of a triangle, at most `spacing` apart along its sides, without the corners,
// until one call returns false; returns whether none did. For a triangle of a fan about its first corner, the
// sides opposite to that corner and before it are omitted: one is the fan's rim, the other belongs to the
// next triangle.
template <class Visit>
bool for_lattice(const Corners& t, double spacing, bool of_fan, Visit&& visit) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0];
  const double longest = std::sqrt(std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()}));
  const int n = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, kMaxIntervals);
  for (int i = of_fan ? 1 : 0; i < n; ++i) {
    for (int j = i == 0 ? 1 : 0; i + j <= (of_fan ? n - 1 : n) && j < n; ++j) {
      if (!visit(t[0] + ab * (static_cast<double>(i) / n) + ac * (static_cast<double>(j) / n))) return false;
    }
  }
  return true;
}

}  // namespace

Deviation::Deviation(const TriangleMesh& original, double spacing) : original_(original), spacing_(spacing) {
  const auto count = original.triangles.size();
  attached_.resize(count);
  std::vector<char> taken(original.vertices.size(), 0);
  std::vector<BoxTree::Box> boxes;
  const auto attach = [&](std::size_t f, const Vec3& p) {
    attached_[f].push_back(static_cast<std::int32_t>(samples_.size()));
    samples_.push_back(p);
  };
  for (std::size_t f = 0; f < count; ++f) {
    const Triangle& t = original.triangles[f];
    const Vec3 &a = original.vertices[t[0]], &b = original.vertices[t[1]], &c = original.vertices[t[2]];
    boxes.push_back(box_of(a, b, c));
    for (const std::int32_t v : t) {
      if (!taken[v]) attach(f, original.vertices[v]);
      taken[v] = 1;
    }
    for_lattice({a, b, c}, spacing, false, [&](const Vec3& p) {
      attach(f, p);
      return true;
    });
  }
  tree_.build(boxes);
}

bool Deviation::near_original(const Vec3& p) {
  const auto near = [&](std::int32_t f) {
    const Triangle& t = original_.triangles[f];
    const bool found = squared_distance(p, original_.vertices[t[0]], original_.vertices[t[1]],
                                        original_.vertices[t[2]]) <= tolerance2_;
    if (found) last_near_ = f;
    return found;
  };
  // Points come in spatial order: a triangle near the last one is often near this one.
  return near(last_near_) ||
         tree_.any([&](const BoxTree::Box& box) { return box.squaredExteriorDistance(p) <= tolerance2_; },
                   near);
}

bool Deviation::added_near_original(const EditableMesh& mesh, const Change& change) {
  const bool of_fan = change.moved >= 0;
  if (of_fan && !near_original(change.position)) return false;
  return std::all_of(change.added.begin(), change.added.end(), [&](Triangle t) {
    while (of_fan && t[0] != change.moved) std::rotate(t.begin(), t.begin() + 1, t.end());
    const Corners c = mesh.corners(t, change);
    return near_original((c[0] + c[1] + c[2]) / 3) &&
           for_lattice(c, spacing_, of_fan, [&](const Vec3& p) { return near_original(p); });
  });
}

bool Deviation::allows(const EditableMesh& mesh, const Change& change) {
  std::vector<Corners> corners;
  for (const Triangle& t : change.added) corners.push_back(mesh.corners(t, change));
  if (moved_.size() < corners.size()) moved_.resize(corners.size());
  for (auto& list : moved_) list.clear();
  for (const std::int32_t f : change.faces) {
    for (const std::int32_t s : attached_[f]) {
      double best = std::numeric_limits<double>::infinity();
      std::size_t to = 0;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const double d2 = squared_distance(samples_[s], corners[i][0], corners[i][1], corners[i][2]);
        if (d2 < best) {
          best = d2;
          to = i;
        }
      }
      if (!(best <= tolerance2_)) return false;
      moved_[to].push_back(s);
    }
  }
  return added_near_original(mesh, change);
}

void Deviation::commit(const Change& change) {
  for (const std::int32_t f : change.faces) attached_[f].clear();
  for (std::size_t i = 0; i < change.added.size(); ++i) attached_[change.faces[i]] = moved_[i];
}

}  // namespace abut::preprocess
