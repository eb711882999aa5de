#include "preprocess/remesh/untangle.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "preprocess/mesh/intersect.h"
#include "preprocess/remesh/quad_quality.h"
#include "preprocess/remesh/rows.h"
#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kPush = 0.04;  // over a quad's edge, in a round
constexpr double kBack = 0.5;   // fraction of the way to its own wall that a strayed quad moves, in a round
constexpr double kOwnCosine = 0.3;
constexpr double kSmooth = 0.5;  // fraction of the way to the mean of the neighbours, in a round

struct Found {
  std::vector<std::array<std::int32_t, 2>> apart;      // pairs of quads that intersect and share no vertex
  std::vector<std::int32_t> folded;                    // quads that intersect a neighbour, or are flipped
  std::vector<std::pair<std::int32_t, Vec3>> strayed;  // quads closer to the opposite wall; way to their own
};

bool share_vertex(const Quad& a, const Quad& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::int32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

// Classifies the tangles of the mesh examined last by their remedy.
Found sort_out(const QuadMesh& mesh, const TangleFinder& finder) {
  Found found;
  for (const auto& [a, b] : finder.crossing_quads()) {
    if (a == b || share_vertex(mesh.quads[a], mesh.quads[b])) {
      found.folded.push_back(a);
      found.folded.push_back(b);
    } else {
      found.apart.push_back({a, b});
    }
  }
  for (std::size_t f = 0; f < mesh.quads.size(); ++f) {
    if (finder.flipped()[f] == 0) continue;
    const Vec3 c = centre(mesh, mesh.quads[f]), area = vector_area(mesh, mesh.quads[f]);
    const Vec3 n = area.normalized();
    const FootPoint own = finder.surface().closest_facing(c, {&n, 1}, kOwnCosine, std::sqrt(area.norm()));
    if (own.triangle >= 0)
      found.strayed.emplace_back(static_cast<std::int32_t>(f), own.position - c);
    else
      found.folded.push_back(static_cast<std::int32_t>(f));
  }
  return found;
}

class Untangler {
 public:
  explicit Untangler(QuadMesh& mesh) : mesh_(mesh), corners_(corners_by_vertex(mesh)) {}

  void round(const Found& found) {
    std::vector<Vec3> shift(mesh_.vertices.size(), Vec3::Zero());
    for (const auto& pair : found.apart)
      for (const std::int32_t f : pair) {
        const Quad& q = mesh_.quads[f];
        const double edge = std::sqrt(vector_area(mesh_, q).norm());
        for (const std::int32_t v : q) {
          // Only once, however many intersections the quad has.
          if (shift[v].squaredNorm() == 0) shift[v] = kPush * edge * vertex_normal(v);
        }
      }
    for (const auto& [f, way] : found.strayed)
      for (const std::int32_t v : mesh_.quads[f]) shift[v] += kBack * way;
    std::vector<char> smooth(mesh_.vertices.size(), 0);
    for (const std::int32_t f : found.folded)
      for (const std::int32_t v : mesh_.quads[f]) smooth[v] = 1;
    const std::vector<Vec3> old = mesh_.vertices;
    for (std::size_t v = 0; v < old.size(); ++v) {
      if (smooth[v] != 0) shift[v] += kSmooth * (mean_around(old, v) - old[v]);
      mesh_.vertices[v] += shift[v];
    }
  }

 private:
  Vec3 vertex_normal(std::int32_t v) const {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t corner : corners_[v]) sum += vector_area(mesh_, mesh_.quads[corner / 4]);
    return sum.normalized();
  }

  Vec3 mean_around(const std::vector<Vec3>& vertices, std::size_t v) const {
    Vec3 sum = Vec3::Zero();
    double weight = 0;
    for (const std::int32_t corner : corners_[v]) {
      const Quad& q = mesh_.quads[corner / 4];
      const int k = corner % 4;
      sum += vertices[q[(k + 1) % 4]] + vertices[q[(k + 3) % 4]];
      weight += 2;
    }
    return weight > 0 ? Vec3(sum / weight) : vertices[v];
  }

  QuadMesh& mesh_;
  Rows corners_;
};

std::size_t badness(const Tangles& t) { return t.crossings + t.flips; }

Corners corners(const TriangleMesh& mesh, std::int32_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  return {mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]};
}

BoxTree::Box box(const Corners& corners) {
  BoxTree::Box result(corners[0]);
  return result.extend(corners[1]).extend(corners[2]);
}

}  // namespace

Tangles TangleFinder::tangles() const {
  return {rule_ == TangleRule::kStrict ? crossing_quads().size() : crossings_.size(),
          static_cast<std::size_t>(std::count(flipped_.begin(), flipped_.end(), 1))};
}

std::vector<std::array<std::int32_t, 2>> TangleFinder::crossing_quads() const {
  std::vector<std::array<std::int32_t, 2>> quads;
  for (const auto& [s, t] : crossings_) quads.push_back({s / per_quad(), t / per_quad()});
  std::sort(quads.begin(), quads.end());
  quads.erase(std::unique(quads.begin(), quads.end()), quads.end());
  return quads;
}

TriangleMesh TangleFinder::triangles_of(const QuadMesh& mesh) const {
  if (rule_ == TangleRule::kOwnWall) return triangulate(mesh);
  TriangleMesh both;
  both.vertices = mesh.vertices;
  both.triangles.reserve(4 * mesh.quads.size());
  for (const auto& [a, b, c, d] : mesh.quads)
    both.triangles.insert(both.triangles.end(), {{a, b, c}, {a, c, d}, {a, b, d}, {b, c, d}});
  return both;
}

bool TangleFinder::is_flipped(const QuadMesh& mesh, const Quad& quad) const {
  if (rule_ == TangleRule::kOwnWall) return normal_error(mesh, quad, surface_) > 90;
  return !(surface_.closest(centre(mesh, quad)).normal.dot(vector_area(mesh, quad)) > 0);
}

void TangleFinder::find(const QuadMesh& mesh) {
  const bool alike = mesh.quads == mesh_.quads && mesh.vertices.size() == mesh_.vertices.size();
  TriangleMesh triangles = triangles_of(mesh);
  std::vector<char> moved(mesh.quads.size(), 1), changed(triangles.triangles.size(), 1);
  for (std::size_t f = 0; alike && f < mesh.quads.size(); ++f) {
    const auto stays = [&](std::int32_t v) { return mesh.vertices[v] == mesh_.vertices[v]; };
    if (!std::all_of(mesh.quads[f].begin(), mesh.quads[f].end(), stays)) continue;
    moved[f] = 0;
    const auto count = static_cast<std::size_t>(per_quad());
    for (std::size_t t = count * f; t < count * (f + 1); ++t)
      changed[t] = triangles.triangles[t] == triangles_.triangles[t] ? 0 : 1;
  }
  mesh_ = mesh;
  triangles_ = std::move(triangles);
  if (alike) {
    for (std::size_t t = 0; t < changed.size(); ++t)
      if (changed[t] != 0)
        tree_.set(static_cast<std::int32_t>(t), box(corners(triangles_, static_cast<std::int32_t>(t))));
  } else {
    std::vector<BoxTree::Box> boxes;
    for (std::size_t t = 0; t < changed.size(); ++t)
      boxes.push_back(box(corners(triangles_, static_cast<std::int32_t>(t))));
    tree_.build(boxes);
    crossings_.clear();
    flipped_.assign(mesh.quads.size(), 0);
  }
  find_crossings(changed);
  parallel_for(
      static_cast<std::int64_t>(flipped_.size()), 0,
      [&](std::int64_t f, int) {
        if (moved[f] != 0) flipped_[f] = is_flipped(mesh, mesh.quads[f]) ? 1 : 0;
      },
      64);
}

void TangleFinder::find_crossings(const std::vector<char>& changed) {
  std::erase_if(crossings_, [&](const auto& pair) { return changed[pair[0]] != 0 || changed[pair[1]] != 0; });
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(changed.size()); ++s) {
    if (changed[s] == 0) continue;
    const Corners corners_s = corners(triangles_, s);
    const BoxTree::Box box_s = box(corners_s);
    const bool flat = is_flat(corners_s);
    tree_.any([&](const BoxTree::Box& other) { return box_s.intersects(other); },
              [&](std::int32_t t) {
                if (t == s || (changed[t] != 0 && t < s)) return false;
                // A quad is never cut along both diagonals at once.
                if (s / per_quad() == t / per_quad() && s / 2 != t / 2) return false;
                const Corners corners_t = corners(triangles_, t);
                const bool meet = flat || is_flat(corners_t)
                                      ? s / 2 == t / 2
                                      : meet_improperly(triangles_.triangles[s], corners_s,
                                                        triangles_.triangles[t], corners_t);
                if (meet) crossings_.push_back({std::min(s, t), std::max(s, t)});
                return false;
              });
  }
  std::sort(crossings_.begin(), crossings_.end());
}

Tangles untangle(QuadMesh& mesh, TangleFinder& finder, int rounds) {
  Untangler untangler(mesh);
  finder.find(mesh);
  QuadMesh best = mesh;
  Tangles least = finder.tangles();
  for (int i = 0; i < rounds && !finder.tangles().none(); ++i) {
    untangler.round(sort_out(mesh, finder));
    finder.find(mesh);
    if (badness(finder.tangles()) >= badness(least)) continue;
    least = finder.tangles();
    best = mesh;
  }
  mesh = std::move(best);
  return least;
}

}  // namespace abut::preprocess
