#include "preprocess/remesh/remesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "preprocess/remesh/cover.h"
#include "preprocess/remesh/edit_quads.h"
#include "preprocess/remesh/field_aligned.h"
#include "preprocess/remesh/isotropic.h"
#include "preprocess/remesh/no_quads.h"
#include "preprocess/remesh/relax.h"
#include "preprocess/remesh/to_quads.h"
#include "preprocess/remesh/untangle.h"
#include "runtime/core/counted.h"
#include "runtime/core/decimal.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

constexpr int kIsotropicRounds = 3;
constexpr double kNoCreases = 180;  // relaxation finds creases; edges held by force crowd around noise
// Edge of equilateral triangles whose pairs have the area of a unit square, times a factor by which the
// remesher's triangles and the later collapses differ from that on average.
const double kTriangleEdge = std::sqrt(2 / std::numbers::sqrt3) * 1.04;
constexpr double kMixDegrees = 50;  // connectivity changes do not merge quads at a larger angle
constexpr int kEdits = 2, kRoundsBetweenEdits = 4, kLastRounds = 12, kRoundsAfterSubdivision = 5;
// Divided quads already have their shape; the thin walls that require so many must be kept apart.
constexpr int kAwayAfterSubdivision = 2;
constexpr double kFlatnessAfterSubdivision = 5;
constexpr int kCovers = 3, kRoundsAfterCover = 2;
constexpr double kCoverTolerance = 0.5;  // over the edge: quads may cut off this much
constexpr double kLeastShare = 0.5;  // of the wanted number of quads: fewer leave parts of the surface out
constexpr std::size_t kMaxBase = 14000;  // quads; finer meshes come from subdivision
// Scales of the field lattice's edge, tried in turn until a mesh has no tangles: another spacing meets the
// same thin wall or rim at another place. Small meshes, which take little time, are tried more often, until
// none is left by the strict rule.
constexpr double kScales[] = {1, 0.97, 1.04, 0.93}, kScalesOfSmall[] = {0.99, 1.01, 0.98, 1.02, 0.95, 1.07};
constexpr double kSmall = 1000;  // quads
constexpr int kUntangleRounds = 30, kStrictRounds = 60;

double edge_for(const QuadTarget& target, const ReferenceSurface& surface, int threads) {
  if (target.kind == QuadTarget::Kind::kAuto) return auto_edge(surface, threads);
  if (target.kind == QuadTarget::Kind::kQuads) return std::sqrt(surface.area() / target.value);
  if (target.kind == QuadTarget::Kind::kDefault) return std::sqrt(surface.area() / kDefaultQuads);
  if (!(target.value > 0))
    throw InvalidInput(fmt::format("edge length of {} m: it must be positive", target.value));
  return target.value;
}

QuadMesh from_fields(const TriangleMesh& closed, double edge, int threads, Report& report) {
  FieldParameters field;
  field.edge_length = edge;
  field.threads = threads;
  return to_quads(field_aligned_mesh(closed, field, report));
}

QuadMesh from_triangles(const TriangleMesh& closed, double edge) {
  return to_quads(remesh_isotropic(closed, kTriangleEdge * edge, kNoCreases, kIsotropicRounds));
}

// Repairs the mesh, then covers what it leaves out and relaxes the surroundings, unless that causes tangles.
Tangles repair_and_cover(QuadMesh& mesh, const ReferenceSurface& surface, double edge, int rounds,
                         int threads) {
  TangleFinder finder(surface);
  const Tangles left = untangle(mesh, finder, rounds);
  QuadMesh covered = mesh;
  bool any = false;
  for (int i = 0; i < kCovers; ++i) {
    const std::vector<char> moved = cover(covered, surface, kCoverTolerance * edge, threads);
    if (std::find(moved.begin(), moved.end(), 1) == moved.end()) break;
    any = true;
    relax(covered, surface, {.rounds = kRoundsAfterCover, .edge = edge, .threads = threads}, moved);
  }
  if (!any) return left;
  const Tangles after = untangle(covered, finder, rounds);
  if (after.crossings + after.flips > left.crossings + left.flips) return left;
  mesh = std::move(covered);
  return after;
}

// Relaxes, improves and repairs a base mesh.
Tangles finish(QuadMesh& mesh, const ReferenceSurface& surface, double edge, int threads) {
  remove_doublets(mesh);
  if (const std::string fault = find_topological_fault(mesh); !fault.empty()) throw InvalidInput(fault);
  RelaxParameters relaxing{.rounds = kRoundsBetweenEdits, .edge = edge, .threads = threads};
  for (int i = 0; i < kEdits; ++i) {
    relax(mesh, surface, relaxing);
    if (improve_connectivity(mesh, kMixDegrees) == 0) break;
  }
  relaxing.rounds = kLastRounds;
  relax(mesh, surface, relaxing);
  return repair_and_cover(mesh, surface, edge, kUntangleRounds, threads);
}

// Scales to try; the final 0 stands for isotropic triangles.
std::vector<double> scales_of(bool small, bool fields) {
  std::vector<double> scales;
  if (fields) scales.assign(std::begin(kScales), std::end(kScales));
  if (fields && small) scales.insert(scales.end(), std::begin(kScalesOfSmall), std::end(kScalesOfSmall));
  scales.push_back(0);
  return scales;
}

Tangles untangle_strictly(QuadMesh& mesh, const ReferenceSurface& surface) {
  TangleFinder strict(surface, TangleRule::kStrict);
  return untangle(mesh, strict, kStrictRounds);
}

// The first of the routes without tangles, or else the one with the fewest.
Remeshed make_base(const TriangleMesh& closed, const ReferenceSurface& surface, double edge,
                   const RemeshParameters& parameters) {
  Remeshed best;
  bool found = false;
  const bool small = surface.area() <= kSmall * edge * edge;
  for (const double scale : scales_of(small, parameters.fields)) {
    const bool fields = scale > 0;
    Remeshed base;
    base.route = fields ? "fields" : "isotropic";
    try {
      Report report;
      base.mesh = fields ? from_fields(closed, scale * edge, parameters.threads, report)
                         : from_triangles(closed, edge);
      base.measures = std::move(report.measures);
      Tangles left = finish(base.mesh, surface, edge, parameters.threads);
      if (small) left = untangle_strictly(base.mesh, surface);
      const double wanted = surface.area() / (edge * edge);
      if (static_cast<double>(base.mesh.quads.size()) < kLeastShare * wanted)
        throw InvalidInput(fmt::format("{} where about {:.0f} were asked for: parts are left out",
                                       counted(base.mesh.quads.size(), "quad"), wanted));
      base.crossings = left.crossings;
      base.flips = left.flips;
    } catch (const TooMuchWork&) {
      throw;  // every other route would be as costly
    } catch (const InvalidInput& error) {
      // This route yields no manifold; if none does, the caller learns the last one's reason.
      if (!fields && !found) throw NoQuads(fmt::format("no route makes closed quads: {}", error.what()));
      continue;
    }
    if (!found || base.crossings + base.flips < best.crossings + best.flips) best = std::move(base);
    found = true;
    if (best.crossings + best.flips == 0) break;
  }
  return best;
}

}  // namespace

std::string QuadTarget::text() const {
  if (kind == Kind::kAuto) return "auto";
  if (kind == Kind::kDefault) return kDefaultText;
  return kind == Kind::kQuads ? fmt::format("{}", value) : fmt::format("{} m", value);
}

namespace {

QuadTarget target_from(const std::string& text) {
  if (text == "auto") return {};
  if (text == kDefaultText) return {QuadTarget::Kind::kDefault};
  const std::optional<double> value = decimal<double>(text);
  if (!value || !(*value >= kLeastQuads && *value <= kMaxQuads) || *value != std::floor(*value))
    throw InvalidInput(fmt::format("number of quads '{}': use auto, {} or a whole number from {} to {}{}",
                                   text, kDefaultText, kLeastQuads, kMaxQuads, decimal_hint(text)));
  return {QuadTarget::Kind::kQuads, *value};
}

}  // namespace

std::vector<QuadTarget> quad_targets_from_string(const std::string& text) {
  std::vector<QuadTarget> targets;
  if (text == "none") return targets;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    targets.push_back(target_from(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  // Sorted, so that equal sets of levels have equal descriptions.
  std::sort(targets.begin(), targets.end(), [](const QuadTarget& a, const QuadTarget& b) {
    return std::tie(a.kind, a.value) < std::tie(b.kind, b.value);
  });
  targets.erase(std::unique(targets.begin(), targets.end(),
                            [](const QuadTarget& a, const QuadTarget& b) { return a.text() == b.text(); }),
                targets.end());
  return targets;
}

double auto_edge(const ReferenceSurface& surface, int threads) {
  const asset::SurfaceView& view = surface.view();
  std::vector<std::pair<double, double>> walls(static_cast<std::size_t>(view.triangle_count));
  parallel_for(
      view.triangle_count, threads,
      [&](std::int64_t t, int) {
        const auto triangle = static_cast<std::int32_t>(t);
        Eigen::Vector3d corners[3];
        for (int k = 0; k < 3; ++k) corners[k] = distance::internal::corner<double>(view, triangle, k);
        const Eigen::Vector3d middle = (corners[0] + corners[1] + corners[2]) / 3;
        const double area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).norm() / 2;
        walls[t] = {surface.thickness({middle, surface.normal(triangle), 0, triangle}), area};
      },
      64);
  std::sort(walls.begin(), walls.end());
  double below = 0, thin = walls.back().first;
  for (const auto& [thickness, area] : walls) {
    below += area;
    if (below <= kThinShare * surface.area()) continue;
    thin = thickness;
    break;
  }
  return std::clamp(kWallSpacing * thin, std::sqrt(surface.area() / kAutoMost),
                    std::sqrt(surface.area() / kAutoLeast));
}

Remeshed remesh(const TriangleMesh& closed, const ReferenceSurface& surface,
                const RemeshParameters& parameters) {
  const double edge = edge_for(parameters.target, surface, parameters.threads);
  const QuadTarget& target = parameters.target;
  const double quads =
      target.kind == QuadTarget::Kind::kQuads ? target.value : surface.area() / (edge * edge);
  if (!(quads >= kLeastQuads && quads <= kMaxQuads))
    throw InvalidInput(
        fmt::format("quads with edges of {:g} mm: about {:.0f}, which is not between {} and {}", 1e3 * edge,
                    quads, kLeastQuads, kMaxQuads));
  int subdivisions = 0;
  while (quads > static_cast<double>(kMaxBase) * std::pow(4, subdivisions)) ++subdivisions;
  Remeshed result = make_base(closed, surface, edge * (1 << subdivisions), parameters);
  result.edge = edge;
  result.subdivisions = subdivisions;
  for (int i = subdivisions - 1; i >= 0; --i) {
    result.mesh = subdivide(polygons_of(result.mesh));
    relax(result.mesh, surface,
          {.rounds = kRoundsAfterSubdivision,
           .away = kAwayAfterSubdivision,
           .edge = edge * (1 << i),
           .flatness = kFlatnessAfterSubdivision,
           .threads = parameters.threads});
    repair_and_cover(result.mesh, surface, edge * (1 << i), kUntangleRounds, parameters.threads);
  }
  const Tangles left = untangle_strictly(result.mesh, surface);
  result.crossings = left.crossings;
  result.flips = left.flips;
  return result;
}

}  // namespace abut::preprocess
