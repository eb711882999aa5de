#include "preprocess/mesh/mend_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "preprocess/mesh/cut_loops.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/sound_union.h"
#include "preprocess/mesh/tunnels.h"
#include "runtime/core/counted.h"

namespace abut::preprocess {
namespace {

// Tunnels with a loop shorter than kTunnelEdges mean edges are below the resolution of the mesh, clamped to
// [kLeastTunnel, kMaxTunnel] of the diagonal; a handle is small if its sides meet again within kTunnelReach
// times that length.
constexpr double kTunnelEdges = 5, kLeastTunnel = 0.03, kMaxTunnel = 0.08, kTunnelReach = 1.5;
constexpr int kMaxTunnelRounds = 10;
// Limit of the pairs of intersecting faces that local repair attempts, over all tries. Scans have up to a
// hundred; on a mug without every twelfth face, 9,102 pairs, six tries took 80 s without success.
constexpr std::size_t kMaxCrossings = 3000;
constexpr std::size_t kMaxChosenCuts = 16;  // with more loops all tunnels are cut the same way, to save time

double change_percent(double before, double after) {
  return 100 * std::abs(after - before) / std::abs(before);
}

// Compares repaired candidates with the reference and decides whether they are acceptable.
struct Gate {
  const TriangleMesh& reference;  // the surface before the repair
  const CloseParameters& parameters;
  double diagonal;  // m

  // Hausdorff distance over the diagonal.
  double distance(const TriangleMesh& a, const TriangleMesh& b) const {
    return hausdorff(a, b, CloseParameters::kHausdorffTolerance * diagonal).symmetric() / diagonal;
  }

  // The reason why the candidate may not replace the reference; empty if it may.
  std::string refusal(const TriangleMesh& candidate) const {
    const double moved = distance(candidate, reference);
    const double volume_change = change_percent(volume(reference), volume(candidate));
    const double area_change = change_percent(area(reference), area(candidate));
    if (moved <= parameters.max_hausdorff && volume_change <= 100 * parameters.max_volume_change &&
        area_change <= 100 * parameters.max_area_change)
      return {};
    return fmt::format(
        "it moves the surface by {:.2g} % of the diagonal, changes volume by {:.2g} % and area by {:.2g} %",
        100 * moved, volume_change, area_change);
  }
};

// Accumulated over all repair tries of a part.
struct Tries {
  std::size_t crossings = 0;  // pairs of faces that local repair attempted
  std::string refused;        // why the last repair failed its gate
};

struct United {
  TriangleMesh mesh;
  bool overlapping = false;  // see MendedPart::overlapping
};

// Unites parts that overlap or are nested: the object is the union of their solids.
United unite(const TriangleMesh& closed, Report& report) {
  const std::int32_t parts = find_components(closed).count;
  if (parts == 1) return {closed};
  std::optional<SoundUnion> united = sound_union(closed);
  if (!united) return {closed};
  const bool overlapping =
      !united->growth.empty() || united->mesh.triangles.size() != closed.triangles.size();
  if (overlapping)
    report.warnings.push_back(fmt::format("{} parts united that overlap{}", parts, united->growth));
  return {std::move(united->mesh), overlapping};
}

// The candidate without self-intersections, if that succeeds and passes the gate.
std::optional<TriangleMesh> remove_crossings(const TriangleMesh& candidate, const Gate& gate, Tries& tries,
                                             Report& report) {
  const auto passes = [&](const TriangleMesh& mesh) {
    std::string refusal = gate.refusal(mesh);
    if (refusal.empty()) return true;
    tries.refused = std::move(refusal);
    return false;
  };
  if (find_fault(candidate).empty()) return passes(candidate) ? std::optional(candidate) : std::nullopt;
  const std::size_t crossings = count_self_intersections(candidate);
  for (const bool keep_genus : {true, false}) {
    tries.crossings += crossings;
    if (tries.crossings > kMaxCrossings) return std::nullopt;
    std::optional<TriangleMesh> mended = remove_self_intersections(candidate, keep_genus);
    if (!mended || !find_fault(*mended).empty() || !passes(*mended)) continue;
    if (crossings > 0)
      report.warnings.push_back(fmt::format("{} of intersecting faces removed", counted(crossings, "pair")));
    return mended;
  }
  return std::nullopt;
}

// Largest loop length of a tunnel that counts as noise, m: a scan does not resolve what a handful of its
// edges spans.
double tunnel_limit(const TriangleMesh& mesh, const Gate& gate) {
  if (gate.parameters.max_tunnel) return *gate.parameters.max_tunnel * gate.diagonal;
  const double mean_edge =
      std::sqrt(4 / std::sqrt(3.0) * area(mesh) / static_cast<double>(mesh.triangles.size()));
  return std::clamp(kTunnelEdges * mean_edge, kLeastTunnel * gate.diagonal, kMaxTunnel * gate.diagonal);
}

// Cuts along the loops and caps the rims. Empty if a cap fails or the surface would move farther than `most`,
// over the diagonal.
std::optional<TriangleMesh> cut_and_cap(const TriangleMesh& mesh, const std::vector<Loop>& loops,
                                        const std::vector<Cut>& cuts, const Gate& gate, double most) {
  FilledHoles capped = fill_holes(cut_loops(mesh, loops, cuts), gate.diagonal);
  if (capped.left > 0 || gate.distance(capped.mesh, mesh) > most) return std::nullopt;
  return std::move(capped.mesh);
}

// Chooses for each loop separately: the ring if it moves the surface by at most half of what the gate allows,
// else the slit, else none.
std::vector<Cut> choose_cuts(const TriangleMesh& mesh, const std::vector<Loop>& loops, const Gate& gate) {
  std::vector<Cut> cuts(loops.size(), Cut::kRing);
  if (loops.size() > kMaxChosenCuts) return cuts;
  const double most = gate.parameters.max_hausdorff;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (cut_and_cap(mesh, {loops[i]}, {Cut::kRing}, gate, most / 2)) continue;
    cuts[i] = cut_and_cap(mesh, {loops[i]}, {Cut::kSlit}, gate, most) ? Cut::kSlit : Cut::kNone;
  }
  return cuts;
}

struct TunnelsClosed {
  TriangleMesh mesh;
  double longest = 0;  // longest of the loops that were cut, m
};

// Closes tunnels with loops shorter than `limit` (m), round by round as long as that lowers the genus.
TunnelsClosed close_tunnels(const TriangleMesh& mesh, double limit, const Gate& gate) {
  TunnelsClosed result{mesh};
  for (int round = 0; round < kMaxTunnelRounds && genus(result.mesh) > 0; ++round) {
    std::vector<Loop> loops = find_tunnels(result.mesh, limit);
    std::erase_if(loops,
                  [&](const Loop& loop) { return !is_noise(result.mesh, loop, kTunnelReach * limit); });
    const std::vector<Cut> cuts = choose_cuts(result.mesh, loops, gate);
    std::optional<TriangleMesh> capped =
        cut_and_cap(result.mesh, loops, cuts, gate, gate.parameters.max_hausdorff);
    if (!capped || genus(*capped) >= genus(result.mesh)) break;
    result.mesh = std::move(*capped);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (cuts[i] != Cut::kNone) result.longest = std::max(result.longest, loops[i].length);
    }
  }
  return result;
}

std::optional<TriangleMesh> mend_with_tunnels(const TriangleMesh& mesh, double limit, const Gate& gate,
                                              Tries& tries, Report& report) {
  const TunnelsClosed closed = close_tunnels(mesh, limit, gate);
  const long removed = genus(mesh) - genus(closed.mesh);
  if (removed <= 0) return std::nullopt;
  std::optional<TriangleMesh> mended = remove_crossings(closed.mesh, gate, tries, report);
  if (!mended) return std::nullopt;
  report.warnings.push_back(
      fmt::format("{} closed, the longest {:.2g} m around ({} left); --max-tunnel sets the limit",
                  counted(static_cast<std::size_t>(removed), "tiny tunnel"), closed.longest, genus(*mended)));
  report.measures["tunnels_closed"] = static_cast<double>(removed);
  return mended;
}

}  // namespace

// Tunnels come first: pinched ones cause most self-intersections of scans.
MendedPart mend_part(const TriangleMesh& closed, const CloseParameters& parameters, double diagonal,
                     Report& report) {
  const auto [mesh, overlapping] = unite(closed, report);
  const Gate gate{mesh, parameters, diagonal};
  Tries tries;
  if (genus(mesh) > 0) {
    const double limit = tunnel_limit(mesh, gate);
    for (const double longest : {limit, limit / 2}) {
      if (!(longest > 0)) continue;
      if (auto mended = mend_with_tunnels(mesh, longest, gate, tries, report))
        return {std::move(mended), {}, overlapping};
    }
    if (!tries.refused.empty())
      report.warnings.push_back("tiny tunnels left as they are: closing them was undone, since " +
                                std::exchange(tries.refused, {}));
  }
  if (find_fault(mesh).empty()) return {mesh, {}, overlapping};
  std::optional<TriangleMesh> mended = remove_crossings(mesh, gate, tries, report);
  return {std::move(mended), std::move(tries.refused), overlapping};
}

}  // namespace abut::preprocess
