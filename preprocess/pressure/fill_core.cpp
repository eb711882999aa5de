#include "preprocess/pressure/fill_core.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "preprocess/pressure/extent.h"
#include "preprocess/tetrahedralize/cavity.h"
#include "preprocess/tetrahedralize/editable_tets.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr double kFilledDihedral = 3;  // degrees: between its triangles a thin wall has no room for more
constexpr std::size_t kMaxAdded = 1;   // vertices for each tetrahedron: ends the loop even under rounding

class CoreFiller {
 public:
  CoreFiller(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction)
      : tets_(mesh), inradius_(inradius), core_fraction_(core_fraction), extents_(mesh.vertices.size(), -1) {}

  TetrahedralMesh run() {
    std::vector<std::int32_t> queue(tets_.slots());
    std::iota(queue.begin(), queue.end(), 0);
    const std::size_t most = kMaxAdded * tets_.slots();
    for (std::size_t i = 0, added = 0; i < queue.size() && added < most; ++i) {
      if (!tets_.alive(queue[i]) || !misses_core(queue[i])) continue;
      const std::optional<std::int32_t> vertex = add_vertex(queue[i]);
      if (!vertex) continue;
      ++added;
      // The tetrahedra at a new vertex may miss the core in turn.
      const std::vector<std::int32_t>& star = tets_.star(*vertex);
      queue.insert(queue.end(), star.begin(), star.end());
    }
    return tets_.mesh();
  }

 private:
  bool in_core(const Vector3d& p) const { return inradius_.share_of_way(p, core_fraction_) >= 1; }

  // Upper bound of the field at a vertex: its share of the way to the core.
  double extent_at(std::int32_t v) {
    if (!tets_.inner(v)) return 0;
    if (static_cast<std::size_t>(v) >= extents_.size()) extents_.resize(v + 1, -1);
    if (extents_[v] < 0) extents_[v] = std::min(1.0, inradius_.share_of_way(tets_.point(v), core_fraction_));
    return extents_[v];
  }

  bool misses_core(std::int32_t slot) {
    double mean = 0;
    Vector3d middle = Vector3d::Zero();
    for (const std::int32_t v : tets_.tet(slot)) mean += extent_at(v) / 4, middle += tets_.point(v) / 4;
    return mean < kMissedExtent && in_core(middle);
  }

  std::optional<std::int32_t> add_vertex(std::int32_t slot) {
    static const double enough = std::sin(kFilledDihedral * std::numbers::pi / 180);
    std::optional<Cavity> best;
    for (const VertexPlace& place : vertex_places(tets_, slot)) {
      if (!place.on.empty() || !in_core(place.point)) continue;
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
  std::vector<double> extents_;  // of vertices inside; -1 where not yet computed
};

}  // namespace

void fill_core(TetrahedralMesh& mesh, const LocalInradius& inradius, double core_fraction) {
  mesh = CoreFiller(mesh, inradius, core_fraction).run();
}

}  // namespace abut::preprocess
