#include "preprocess/mesh/sound_union.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

constexpr double kGrowth = 1e-5;  // of the size of a part
// Of it along each axis: grown alike along all, a box in a corner of another would keep its own corner on the
// diagonal that cuts the other's face in two.
const Eigen::Vector3d kShares(0.61, 0.83, 1);

// Every part but the first larger by a factor of its own, about its middle; no two share a vertex.
TriangleMesh grow_parts(const TriangleMesh& mesh) {
  const Components parts = find_components(mesh);
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts);
  TriangleMesh grown;
  for (std::int32_t p = 0; p < parts.count; ++p) {
    TriangleMesh part = select_part(mesh, parts, p);
    const double factor = kGrowth * (p == 0 ? 0 : 1 + static_cast<double>(p) / parts.count);
    for (Eigen::Vector3d& vertex : part.vertices)
      vertex += factor * kShares.cwiseProduct(vertex - boxes[p].center());
    append_mesh(grown, part);
  }
  return grown;
}

}  // namespace

std::optional<SoundUnion> sound_union(const TriangleMesh& parts) {
  for (const bool grows : {false, true}) {
    std::optional<TriangleMesh> united = unite_parts(grows ? grow_parts(parts) : parts);
    if (!united || !find_fault(*united).empty()) continue;
    return {
        {std::move(*united), grows ? fmt::format(", grown by up to {:.2g} of their size", 2 * kGrowth) : ""}};
  }
  return std::nullopt;
}

}  // namespace abut::preprocess
