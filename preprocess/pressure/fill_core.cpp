#include "preprocess/pressure/fill_core.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "preprocess/tetrahedralize/cavity.h"
#include "preprocess/tetrahedralize/editable_tets.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr double kMissed = 0.5;        // of the core's pressure
constexpr double kFilledDihedral = 3;  // degrees: a thin wall has no room for more between its triangles
constexpr std::size_t kMostAdded = 1;  // vertices per tetrahedron: rounding ends no loop

class CoreFiller {
 public:
  CoreFiller(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction)
      : tets_(mesh), inradius_(inradius), core_fraction_(core_fraction), shares_(mesh.vertices.size(), -1) {}

  std::size_t run() {
    std::vector<std::int32_t> queue(tets_.slots());
    std::iota(queue.begin(), queue.end(), 0);
    const std::size_t most = kMostAdded * tets_.slots();
    std::size_t added = 0;
    for (std::size_t i = 0; i < queue.size() && added < most; ++i) {
      if (!tets_.alive(queue[i]) || !misses_core(queue[i])) continue;
      const std::optional<std::int32_t> vertex = add_vertex(queue[i]);
      if (!vertex) continue;
      ++added;
      // The tetrahedra at a new vertex may miss the core in turn.
      const std::vector<std::int32_t>& star = tets_.star(*vertex);
      queue.insert(queue.end(), star.begin(), star.end());
    }
    return added;
  }

  TetrahedralMesh mesh() const { return tets_.mesh(); }

 private:
  // Of the way from the surface to the core, at most 1.
  double share(const Vector3d& p) const {
    const LocalInradius::Foot foot = inradius_.foot(p);
    return std::min(1.0, foot.distance / ((1 - core_fraction_) * inradius_.inradius(p, foot)));
  }

  double share(std::int32_t v) {
    if (!tets_.inner(v)) return 0;
    if (static_cast<std::size_t>(v) >= shares_.size()) shares_.resize(v + 1, -1);
    if (shares_[v] < 0) shares_[v] = share(tets_.point(v));
    return shares_[v];
  }

  bool misses_core(std::int32_t slot) {
    double mean = 0;
    Vector3d middle = Vector3d::Zero();
    for (const std::int32_t v : tets_.tet(slot)) mean += share(v) / 4, middle += tets_.point(v) / 4;
    return mean < kMissed && share(middle) >= 1;
  }

  std::optional<std::int32_t> add_vertex(std::int32_t slot) {
    static const double enough = std::sin(kFilledDihedral * std::numbers::pi / 180);
    std::optional<Cavity> best;
    for (const VertexPlace& place : vertex_places(tets_, slot)) {
      if (!place.on.empty() || share(place.point) < 1) continue;
      Cavity cavity = dig_cavity(tets_, place);
      const double before = tets_.worst(cavity.slots);
      if (cavity.quality < std::max(std::min(enough, before), before / 2)) continue;
      if (!best || cavity.quality > best->quality) best = std::move(cavity);
    }
    if (!best) return std::nullopt;
    return fill_cavity(tets_, *best);
  }

  EditableTets tets_;
  const LocalInradius& inradius_;
  double core_fraction_;
  std::vector<double> shares_;  // of vertices inside; -1 where not asked yet
};

}  // namespace

std::size_t fill_core(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction) {
  CoreFiller filler(mesh, inradius, core_fraction);
  const std::size_t added = filler.run();
  if (added > 0) mesh = filler.mesh();
  return added;
}

}  // namespace abut::preprocess
