#include "preprocess/remesh/untangle.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "preprocess/mesh/repair.h"
#include "preprocess/remesh/quad_quality.h"
#include "preprocess/remesh/rows.h"
#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kPush = 0.04;  // of a quad's edge, in a round
constexpr double kBack = 0.5;   // share of the way to its own wall that a strayed quad goes, in a round
constexpr double kOwnCosine = 0.3;
constexpr double kSmooth = 0.5;  // share of the way to the mean of the neighbours, in a round

struct Found {
  std::vector<std::array<std::int32_t, 2>> apart;      // pairs of quads that cross and share no vertex
  std::vector<std::int32_t> folded;                    // quads that cross a neighbour, or are turned over
  std::vector<std::pair<std::int32_t, Vec3>> strayed;  // quads nearer the opposite wall; the way to their own
  Tangles tangles;
};

bool share_vertex(const Quad& a, const Quad& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::int32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

Found find(const QuadMesh& mesh, const ReferenceSurface& surface) {
  Found found;
  const auto pairs = find_self_intersections(triangulate(mesh));
  found.tangles.crossings = pairs.size();
  for (const auto& [s, t] : pairs) {
    const std::int32_t a = s / 2, b = t / 2;
    if (a == b || share_vertex(mesh.quads[a], mesh.quads[b])) {
      found.folded.push_back(a);
      found.folded.push_back(b);
    } else {
      found.apart.push_back({a, b});
    }
  }
  std::vector<char> flipped(mesh.quads.size());
  parallel_for(
      static_cast<std::int64_t>(flipped.size()), 0,
      [&](std::int64_t f, int) { flipped[f] = normal_error(mesh, mesh.quads[f], surface) > 90 ? 1 : 0; }, 64);
  for (std::size_t f = 0; f < flipped.size(); ++f) {
    if (flipped[f] == 0) continue;
    ++found.tangles.flips;
    const Vec3 c = centre(mesh, mesh.quads[f]), area = vector_area(mesh, mesh.quads[f]);
    const Vec3 n = area.normalized();
    const FootPoint own = surface.closest_facing(c, {&n, 1}, kOwnCosine, std::sqrt(area.norm()));
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
          // Once, however many crossings the quad has.
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

}  // namespace

Tangles find_tangles(const QuadMesh& mesh, const ReferenceSurface& surface) {
  return find(mesh, surface).tangles;
}

Tangles untangle(QuadMesh& mesh, const ReferenceSurface& surface, int rounds) {
  Untangler untangler(mesh);
  Found found = find(mesh, surface);
  QuadMesh best = mesh;
  Tangles least = found.tangles;
  for (int i = 0; i < rounds && !found.tangles.none(); ++i) {
    untangler.round(found);
    found = find(mesh, surface);
    if (badness(found.tangles) >= badness(least)) continue;
    least = found.tangles;
    best = mesh;
  }
  mesh = std::move(best);
  return least;
}

}  // namespace abut::preprocess
