#include "preprocess/pressure/volume.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/weld.h"
#include "preprocess/pressure/fill_core.h"
#include "preprocess/pressure/level_search.h"
#include "preprocess/pressure/snap.h"
#include "preprocess/tetrahedralize/improve.h"
#include "preprocess/tetrahedralize/tetrahedralize.h"
#include "runtime/asset/build_volume.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kThinnest = 1e-5;  // m

void refuse_thin(const LocalInradius& inradius) {
  double thickest = 0;
  for (const Ball& ball : inradius.balls()) thickest = std::max(thickest, 2 * ball.radius);
  if (thickest < kThinnest)
    throw InvalidInput(
        fmt::format("the object is nowhere thicker than {:.2g} m: a volume needs {:g} m; check its units",
                    thickest, kThinnest));
}

TriangleMesh without_voids(const TriangleMesh& surface) {
  const Components parts = find_components(surface);
  const std::vector<char> outermost = outermost_solids(surface, parts);
  std::vector<char> keep(surface.triangles.size());
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = outermost[parts.of_face[i]];
  return select_faces(surface, keep);
}

constexpr const char* kMissedCore = "missed_core_percent";
constexpr double kMuchMissed = 10;  // %
constexpr double kOutOfReach = 2;   // times its target

// A level with its field.
struct FinishedLevel {
  VolumeLevel level;
  MadeVolume made;

  std::size_t count() const { return made.mesh.tetrahedra.size(); }
  // Why it is finer than wanted.
  std::string limit() const {
    if (!level.limit.empty() || count() <= level.mesh.tetrahedra.size()) return level.limit;
    return "walls and narrow parts have more vertices, in their core";
  }
};

void describe(const FinishedLevel& finished, std::size_t number, double seconds, Report& report) {
  const VolumeLevel& level = finished.level;
  const TetrahedralQuality quality = measure(finished.made.mesh);
  const auto note = [&](const char* name, double value) {
    report.measures[fmt::format("volume{}_{}", number, name)] = value;
  };
  note("tetrahedra", static_cast<double>(finished.count()));
  note("surface_triangles", static_cast<double>(quality.surface_triangles));
  note("min_dihedral_degrees", quality.min_dihedral);
  note("p1_dihedral_degrees", quality.p1_dihedral);
  note("zero_pressure_percent", 100 * quality.flat_surface_share);
  note("hausdorff_percent", level.hausdorff_percent);
  if (const auto missed = level.report.measures.find(kMissedCore); missed != level.report.measures.end()) {
    note(kMissedCore, missed->second);
    if (missed->second > kMuchMissed)
      report.warnings.push_back(fmt::format(
          "volume {}: too soft in {:.0f} % of its core, where the pressure is less than half of "
          "what it should be: {} tetrahedra are too few to have vertices there; ask for more with "
          "--tets",
          number, missed->second, finished.count()));
  }
  note("seconds", seconds);
  // Number of vertices where obtuse tetrahedra violated the discrete maximum principle before it was
  // repaired.
  const auto repairs = level.report.measures.find("extent_max_principle_repairs");
  if (repairs != level.report.measures.end()) note("max_principle_repairs", repairs->second);
}

FinishedLevel finish(VolumeLevel level, const VolumeParameters& parameters) {
  MadeVolume made = make_field(level.mesh, level.surface, parameters, level.report);
  return {std::move(level), std::move(made)};
}

// Makes the level of a target with its field. If vertices in the core of walls and narrow parts make it too
// fine, the target is lowered accordingly, and the result is taken if it is closer.
FinishedLevel make_level(const TriangleMesh& surface, std::int64_t target,
                         const VolumeParameters& parameters) {
  const auto make = [&parameters](const TriangleMesh& simple) { return make_tetrahedra(simple, parameters); };
  FinishedLevel level = finish(find_level(surface, target, make), parameters);
  const auto excess = [target](const FinishedLevel& of) {
    return static_cast<double>(of.count()) / static_cast<double>(target);
  };
  if (!level.level.limit.empty() || excess(level) <= 1 + kLevelTolerance || excess(level) > kOutOfReach)
    return level;
  const auto lower = std::llround(static_cast<double>(target) / excess(level));
  try {
    FinishedLevel second =
        finish(find_level(surface, std::max<std::int64_t>(lower, kMinTetrahedra), make), parameters);
    if (std::abs(excess(second) - 1) < std::abs(excess(level) - 1)) return second;
  } catch (const InvalidInput&) {  // keep the first level
  }
  return level;
}

// Whether a level is so far above its target that a search for an even coarser one would find the same.
bool out_of_reach(const FinishedLevel& level, std::int64_t target) {
  return !level.level.limit.empty() &&
         static_cast<double>(level.count()) > kOutOfReach * static_cast<double>(target);
}

// Whether a level for a coarser target is better than `last`, which otherwise serves for both.
bool is_better(const FinishedLevel& level, const FinishedLevel& last) {
  return level.count() < last.count() || last.level.quality.min_dihedral < kLeastDihedral;
}

// Levels that miss their targets: one warning for all levels with the same mesh.
class Misses {
 public:
  void add(const FinishedLevel& level, std::size_t number, std::int64_t target, Report& report) {
    const auto reached = static_cast<double>(level.count());
    if (std::abs(reached / static_cast<double>(target) - 1) <= kLevelTolerance) return;
    if (count_ != level.count()) flush(report);
    count_ = level.count();
    limit_ = level.limit();
    numbers_.push_back(number);
    targets_.push_back(target);
  }

  void flush(Report& report) {
    if (!numbers_.empty())
      report.warnings.push_back(fmt::format("volume{} {}: {} tetrahedra instead of {}{}{}",
                                            numbers_.size() > 1 ? "s" : "", fmt::join(numbers_, ", "), count_,
                                            fmt::join(targets_, ", "), limit_.empty() ? "" : ": ", limit_));
    numbers_.clear();
    targets_.clear();
  }

 private:
  std::size_t count_ = 0;
  std::string limit_;
  std::vector<std::size_t> numbers_;
  std::vector<std::int64_t> targets_;
};

std::vector<std::int64_t> checked_targets(const VolumeParameters& parameters) {
  std::vector<std::int64_t> targets = parameters.tetrahedra;
  for (const std::int64_t target : targets)
    if (target < kMinTetrahedra || target > kMaxTetrahedra)
      throw InvalidInput(
          fmt::format("{} tetrahedra: a volume has {} to {}", target, kMinTetrahedra, kMaxTetrahedra));
  std::sort(targets.rbegin(), targets.rend());
  return targets;
}

}  // namespace

asset::Volume build_volume(const TetrahedralMesh& mesh, const ExtentField& field) {
  return asset::build_volume(mesh.vertices, mesh.tetrahedra, field.extent, field.gradients);
}

TetrahedralMesh make_tetrahedra(const TriangleMesh& surface, const VolumeParameters& parameters) {
  const LocalInradius inradius(surface);
  refuse_thin(inradius);
  InteriorParameters interior;
  interior.core_fraction = parameters.extent.core_fraction;
  TetrahedralMesh mesh =
      tetrahedralize(surface, interior_points(surface, inradius, interior), parameters.limits);
  improve(mesh);
  if (parameters.extent.field == FieldKind::kHarmonic)
    snap_to_core(mesh, inradius, parameters.extent.core_fraction);
  return mesh;
}

MadeVolume make_field(TetrahedralMesh mesh, const TriangleMesh& surface, const VolumeParameters& parameters,
                      Report& report) {
  const LocalInradius inradius(surface);
  const bool has_core = parameters.extent.field == FieldKind::kHarmonic;
  const double core_fraction = parameters.extent.core_fraction;
  if (has_core) fill_core(mesh, inradius, core_fraction);
  MadeVolume made{std::move(mesh), {}};
  made.field = extent_field(made.mesh, inradius, parameters.extent, report);
  if (has_core)
    report.measures[kMissedCore] = 100 * missed_core(made.mesh, made.field, inradius, core_fraction);
  return made;
}

MadeVolume make_volume(const TriangleMesh& surface, const VolumeParameters& parameters, Report& report) {
  return make_field(make_tetrahedra(surface, parameters), surface, parameters, report);
}

std::vector<asset::Volume> make_volumes(const TriangleMesh& closed, const VolumeParameters& parameters,
                                        Report& report) {
  const std::vector<std::int64_t> targets = checked_targets(parameters);
  const TriangleMesh surface = parameters.fill_voids ? without_voids(closed) : closed;
  std::vector<asset::Volume> volumes;
  std::string failure;
  std::optional<FinishedLevel> last;
  std::int64_t last_target = 0;
  Misses misses;
  const auto leave_out = [&](std::int64_t target, const InvalidInput& error) {
    failure = error.what();
    report.warnings.push_back(fmt::format("no volume of {} tetrahedra: {}", target, failure));
  };
  for (const std::int64_t target : targets) {
    const auto begin = Clock::now();
    const std::size_t number = volumes.size();
    try {
      refuse_thin(LocalInradius(surface));  // before simplification, which may make it thicker
      std::optional<FinishedLevel> level;
      if (!last || !out_of_reach(*last, last_target)) level = make_level(surface, target, parameters);
      if (level && level->level.limit_reached) report.measures[kLimitReached] = 1;
      if (level && (!last || is_better(*level, *last))) {
        last = std::move(level);
        for (const std::string& warning : last->level.report.warnings)
          report.warnings.push_back(fmt::format("volume {}: {}", number, warning));
      } else if (level && last->level.limit.empty()) {
        last->level.limit = level->level.limit;
      }
      last_target = target;
      volumes.push_back(build_volume(last->made.mesh, last->made.field));
      describe(*last, number, std::chrono::duration<double>(Clock::now() - begin).count(), report);
      misses.add(*last, number, target, report);
    } catch (const LimitReached& error) {
      report.measures[kLimitReached] = 1;
      leave_out(target, error);
    } catch (const InvalidInput& error) {
      leave_out(target, error);
    }
  }
  misses.flush(report);
  if (volumes.empty()) throw InvalidInput("no volume could be made: " + failure);
  return volumes;
}

}  // namespace abut::preprocess
