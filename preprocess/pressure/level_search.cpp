#include "preprocess/pressure/level_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "preprocess/mesh/simplify.h"
#include "preprocess/pressure/refine.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr double kTetsPerTriangle = 3.2;  // initial guess
constexpr double kCloseEnough = 0.2;      // relative to the target
constexpr int kMaxAttempts = 5;           // for each gate
constexpr double kGateStep = 0.6;         // factor between consecutive distance gates
constexpr int kGates = 3;
constexpr double kClearShare = 0.9;    // share of the given triangles that removes the smallest features
constexpr std::int64_t kFewest = 100;  // fewest triangles with features to spare
constexpr int kBisections = 2;         // between what fails and what satisfies the limit

class LevelSearch {
 public:
  LevelSearch(const TriangleMesh& closed, std::int64_t target, const TetrahedraMaker& make)
      : closed_(closed),
        target_(static_cast<double>(target)),
        make_(make),
        triangles_(std::max(4.0, target_ / kTetsPerTriangle)) {}

  VolumeLevel search() {
    std::optional<VolumeLevel> best;
    for (int i = 0; i < kGates; ++i) {
      std::optional<VolumeLevel> level = within_gate();
      gate_ *= kGateStep;
      if (!level) break;  // no mesh at all: a tighter gate does not help
      if (!holds(*level)) too_few_ = std::max(too_few_, surface_triangles(*level));
      if (!best || level->quality.min_dihedral > best->quality.min_dihedral) best = std::move(level);
      if (holds(*best) || stopped_) break;
      if (best->hausdorff_percent == 0 && !clear_of_folds()) break;
    }
    if (!best) {
      if (stopped_) throw LimitReached(failure_);
      throw InvalidInput(failure_);
    }
    if (too_few_ > 0 && holds(*best)) coarsen(*best);
    best->limit_reached = stopped_;
    if (stopped_) best->report.warnings.push_back("no level nearer to the target was tried: " + failure_);
    if (!holds(*best))
      best->report.warnings.push_back(
          fmt::format("the smallest dihedral angle is {:.2g} degrees: a wall is too thin for its triangles",
                      best->quality.min_dihedral));
    if (too_few_ > 0 && holds(*best))
      best->limit = fmt::format("a thin wall: coarser surfaces leave dihedral angles below {:g} degree",
                                kLeastDihedral);
    return std::move(*best);
  }

 private:
  static bool holds(const VolumeLevel& level) { return level.quality.min_dihedral >= kLeastDihedral; }
  static double surface_triangles(const VolumeLevel& level) {
    return static_cast<double>(level.quality.surface_triangles);
  }
  bool above_target(const VolumeLevel& level) const {
    return static_cast<double>(level.mesh.tetrahedra.size()) > target_ * (1 + kLevelTolerance);
  }

  // Halves, in the logarithm of the number of triangles, the gap between `level`, which a tightened gate
  // found, and the finest surface that failed.
  void coarsen(VolumeLevel& level) {
    gate_ = SimplifyParameters{}.max_hausdorff_percent;
    for (int i = 0; i < kBisections && above_target(level) && !stopped_; ++i) {
      triangles_ = std::sqrt(too_few_ * surface_triangles(level));
      std::optional<VolumeLevel> between = attempt();
      if (between && holds(*between) && between->mesh.tetrahedra.size() < level.mesh.tetrahedra.size())
        level = std::move(*between);
      else
        too_few_ = triangles_;
    }
  }

  // A surface as fine as the given one may have triangles that lie back to back. Simplifying it by a tenth
  // removes its smallest features; from then on that surface is refined instead. Returns false if that was
  // tried before, the surface is too small, or nothing changed.
  bool clear_of_folds() {
    if (!clear_.surface.triangles.empty()) return false;
    const auto fewer = static_cast<std::int64_t>(kClearShare * static_cast<double>(closed_.triangles.size()));
    if (fewer < kFewest) return false;
    Report unheard;
    clear_ = simplify(closed_, {fewer, gate_}, unheard);
    return clear_.hausdorff_percent > 0;
  }

  // The level closest to the target among surfaces within the gate.
  std::optional<VolumeLevel> within_gate() {
    std::optional<VolumeLevel> best;
    double best_error = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kMaxAttempts && best_error > kCloseEnough && !stopped_; ++i) {
      std::optional<VolumeLevel> level = attempt();
      if (!level) {
        triangles_ = 1.2 * triangles_ + 8;
        continue;
      }
      const double count = static_cast<double>(level->mesh.tetrahedra.size());
      const double error = std::abs(count / target_ - 1);
      // In either case another number of triangles does not help.
      const bool ends =
          (!level->limit.empty() && count > target_) || level->quality.min_dihedral < kLeastDihedral;
      if (error < best_error) {
        best_error = error;
        best = std::move(level);
      }
      if (error > kCloseEnough) triangles_ = std::max(4.0, reached_ * std::pow(target_ / count, 0.9));
      if (ends) break;
    }
    return best;
  }

  std::optional<VolumeLevel> attempt() {
    VolumeLevel level;
    try {
      const auto wanted = static_cast<std::size_t>(std::llround(triangles_));
      SimplifyResult simple;
      if (wanted > closed_.triangles.size()) {
        simple.hausdorff_percent = clear_.hausdorff_percent;
        simple.surface = refine(clear_.surface.triangles.empty() ? closed_ : clear_.surface, wanted);
      } else {
        simple = simplify(closed_, {static_cast<std::int64_t>(wanted), gate_}, level.report);
      }
      level.report = {};  // simplify's messages concern a target of its own, not the caller's
      level.surface = std::move(simple.surface);
      reached_ = static_cast<double>(level.surface.triangles.size());
      level.hausdorff_percent = simple.hausdorff_percent;
      level.limit = simple.limit;
      level.mesh = make_(level.surface);
      level.quality = measure(level.mesh);
    } catch (const LimitReached& error) {
      stopped_ = true;
      failure_ = error.what();
      return std::nullopt;
    } catch (const InvalidInput& error) {
      failure_ = error.what();
      return std::nullopt;
    }
    return level;
  }

  const TriangleMesh& closed_;
  double target_;
  const TetrahedraMaker& make_;
  double triangles_;                                          // for the next attempt
  double reached_ = 0;                                        // by the last attempt
  double gate_ = SimplifyParameters{}.max_hausdorff_percent;  // percent of the diagonal
  SimplifyResult clear_;                                      // simplified surface without folds, once made
  double too_few_ = 0;                                        // triangles of the finest surface that failed
  bool stopped_ = false;                                      // a limit was reached: no more attempts
  std::string failure_;
};

}  // namespace

VolumeLevel find_level(const TriangleMesh& closed, std::int64_t target, const TetrahedraMaker& make) {
  return LevelSearch(closed, target, make).search();
}

}  // namespace abut::preprocess
