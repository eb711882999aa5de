#include "preprocess/mesh/sound_union.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/random.h"

namespace abut::preprocess {
namespace {

constexpr std::size_t kMaxRounded = 100;  // pairs of faces that intersect because of rounding
constexpr int kTries = 6;                 // the first without changes, the second only with growth
constexpr double kGrowth = 1e-5;          // relative to the size of a part
// Shares of the growth along each axis. If a box in a corner of another grew equally along all axes, its
// corner would stay on the diagonal that divides the other's face.
const Eigen::Vector3d kShares(0.61, 0.83, 1);

// Enlarges every part but the first by a factor of its own, about its centre, so that no two parts share a
// vertex. From the third try on parts are also moved, by less and in another direction in every try, because
// the centre of one part may lie in a face of another.
TriangleMesh grow_parts(const TriangleMesh& mesh, int turn) {
  const Components parts = find_components(mesh);
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts);
  TriangleMesh grown;
  for (std::int32_t p = 0; p < parts.count; ++p) {
    TriangleMesh part = select_part(mesh, parts, p);
    const double factor = kGrowth * (p == 0 ? 0 : 1 + static_cast<double>(p) / parts.count);
    Random random(static_cast<std::uint64_t>(turn), static_cast<std::uint64_t>(p));
    Eigen::Vector3d way = Eigen::Vector3d::Zero();
    if (turn > 1)
      for (double& along : way) along = random.uniform(-0.25, 0.25) * boxes[p].diagonal().norm();
    for (Eigen::Vector3d& vertex : part.vertices)
      vertex += factor * (kShares.cwiseProduct(vertex - boxes[p].center()) + way);
    append_mesh(grown, part);
  }
  return grown;
}

// Repairs a union some of whose faces intersect because its corners are rounded to doubles; empty if the
// repair moves it more than growing does.
std::optional<TriangleMesh> without_rounding(const TriangleMesh& united) {
  if (united.triangles.empty() || count_self_intersections(united) > kMaxRounded) return std::nullopt;
  const double most = kGrowth * united.diagonal();
  std::optional<TriangleMesh> mended = remove_self_intersections(united, true);
  if (!mended || !find_fault(*mended).empty()) return std::nullopt;
  if (hausdorff(*mended, united, most).symmetric() > 2 * most) return std::nullopt;
  return mended;
}

}  // namespace

std::optional<SoundUnion> sound_union(const TriangleMesh& parts) {
  const auto growth = [](int turn) {
    return turn == 0 ? "" : fmt::format(", grown by up to {:.2g} of their size", 2 * kGrowth);
  };
  std::vector<TriangleMesh> made(kTries);
  for (int turn = 0; turn < kTries; ++turn) {
    std::optional<TriangleMesh> united = unite_parts(turn == 0 ? parts : grow_parts(parts, turn));
    if (!united) continue;
    if (find_fault(*united).empty()) return SoundUnion{std::move(*united), growth(turn)};
    made[static_cast<std::size_t>(turn)] = std::move(*united);
  }
  for (int turn = 0; turn < kTries; ++turn)
    if (std::optional<TriangleMesh> mended = without_rounding(made[static_cast<std::size_t>(turn)]))
      return SoundUnion{std::move(*mended), growth(turn)};
  return std::nullopt;
}

}  // namespace abut::preprocess
