#include "preprocess/remesh/point_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "preprocess/remesh/no_quads.h"
#include "preprocess/remesh/oriented_points.h"
#include "preprocess/remesh/quad_quality.h"
#include "preprocess/remesh/ssdf_check.h"
#include "runtime/core/counted.h"
#include "runtime/ssdf/wrong_signs.h"

namespace abut::preprocess {

namespace {

// Factor by which the spacing may exceed what walls require without a warning: quads come out slightly larger
// or smaller than requested.
constexpr double kUneven = 1.05;
// Percent of normals along which soft distances do not find the surface: worth a warning; too much for any
// use.
constexpr double kMuchLost = 10, kMostLost = 50;

struct Level {
  QuadTarget target;
  Remeshed remeshed;
  asset::OrientedPoints points;
  SsdfCheck check;
  double seconds = 0;
  std::optional<double> default_wrong_percent;  // of the quads of kDefault that were too few
};

struct Walls {
  double unresolved_percent = 0;  // of the area: where the wall is too thin for the spacing
  double thin = 0;                // thickness that all but kThinShare of the area exceed, m
};

Walls walls_of(const asset::OrientedPoints& points) {
  Walls walls;
  double all = 0;
  std::vector<std::pair<double, double>> by_thickness;
  for (std::size_t i = 0; i < points.areas.size(); ++i) {
    all += points.areas[i];
    if (kWallSpacing * points.thickness[i] < points.spacing[0]) walls.unresolved_percent += points.areas[i];
    by_thickness.emplace_back(points.thickness[i], points.areas[i]);
  }
  walls.unresolved_percent *= 100 / all;
  std::sort(by_thickness.begin(), by_thickness.end());
  double below = 0;
  for (const auto& [thickness, area] : by_thickness) {
    walls.thin = thickness;
    below += area;
    if (below > kThinShare * all) break;
  }
  return walls;
}

bool too_coarse(const Level& level) {
  return level.points.spacing[0] > kUneven * kWallSpacing * walls_of(level.points).thin;
}

Level measured_level(const TriangleMesh& closed, const ReferenceSurface& surface,
                     const RemeshParameters& parameters) {
  const auto begin = std::chrono::steady_clock::now();
  Level level;
  level.target = parameters.target;
  level.remeshed = remesh(closed, surface, parameters);
  level.points = make_points(level.remeshed.mesh, surface);
  level.check = check_ssdf(asset::view(level.points), surface, {});
  level.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return level;
}

// The quads of QuadTarget::Kind::kDefault.
Level default_level(const TriangleMesh& closed, const ReferenceSurface& surface,
                    RemeshParameters parameters) {
  parameters.target = {QuadTarget::Kind::kQuads, kDefaultQuads};
  Level level = measured_level(closed, surface, parameters);
  const SsdfCheck& check = level.check;
  if (!too_coarse(level) ||
      (check.wrong_percent <= ssdf::kWrongSignPercent && check.lost_percent <= kMostLost))
    return level;
  parameters.target = {QuadTarget::Kind::kAuto};
  try {
    Level finer = measured_level(closed, surface, parameters);
    if (finer.check.wrong_percent >= check.wrong_percent || finer.check.lost_percent > kMostLost)
      return level;
    finer.default_wrong_percent = check.wrong_percent;
    finer.seconds += level.seconds;
    return finer;
  } catch (const NoQuads&) {
    return level;
  }
}

// Throws NoQuads if the points are of little use.
Level make_level(const TriangleMesh& closed, const ReferenceSurface& surface,
                 const RemeshParameters& parameters) {
  Level level = parameters.target.kind == QuadTarget::Kind::kDefault
                    ? default_level(closed, surface, parameters)
                    : measured_level(closed, surface, parameters);
  if (level.check.lost_percent > kMostLost)
    throw NoQuads(
        fmt::format("soft distances of {} would not find the surface along {:.0f} % of its normals: "
                    "take more quads",
                    counted(level.remeshed.mesh.quads.size(), "quad"), level.check.lost_percent));
  return level;
}

void report_level(const Level& level, const std::string& prefix, Report& report) {
  const asset::OrientedPoints& points = level.points;
  const Walls walls = walls_of(points);
  for (const auto& [name, value] : level.remeshed.measures) report.measures[prefix + name] = value;
  report.measures[prefix + "fields"] = level.remeshed.route == "fields";
  report.measures[prefix + "subdivisions"] = level.remeshed.subdivisions;
  report.measures[prefix + "seconds"] = level.seconds;
  report.measures[prefix + "unresolved_percent"] = walls.unresolved_percent;
  if (level.default_wrong_percent)
    report.measures[prefix + "default_sign_wrong_percent"] = *level.default_wrong_percent;
  const char* remedy = level.target.kind == QuadTarget::Kind::kAuto
                           ? "a distance grid (--grid auto) holds thinner walls"
                           : "--quads auto makes them as fine as the walls ask for";
  if (too_coarse(level))
    report.warnings.push_back(fmt::format(
        "the oriented points are {:.3g} mm apart, too far for the walls of {:.0f} % of the "
        "surface ({:g} % of it is under {:.3g} mm thick): soft distances may have the wrong sign "
        "there; {}",
        1e3 * points.spacing[0], walls.unresolved_percent, 100 * kThinShare, 1e3 * walls.thin, remedy));
  if (level.check.lost_percent > kMuchLost)
    report.warnings.push_back(
        fmt::format("the oriented points of --quads {} leave out parts of the surface: soft distances do not "
                    "find it along {:.0f} % of its normals, and have the wrong sign at {:.0f} % of places "
                    "beside it; more quads hold more",
                    level.target.text(), level.check.lost_percent, level.check.wrong_percent));
  if (level.remeshed.crossings + level.remeshed.flips > 0)
    report.warnings.push_back(fmt::format(
        "{}: pairs of them that cross: {}; turned against the surface nearest to them: {}",
        counted(level.remeshed.mesh.quads.size(), "quad"), level.remeshed.crossings, level.remeshed.flips));
}

}  // namespace

std::vector<asset::OrientedPoints> make_point_levels(const TriangleMesh& closed,
                                                     const PointParameters& parameters, Report& report) {
  const ReferenceSurface surface(closed);
  std::vector<Level> made;
  std::vector<std::string> failed;
  std::string failure;
  for (const QuadTarget& target : parameters.levels) {
    RemeshParameters remeshing = parameters.remesh;
    remeshing.target = target;
    try {
      made.push_back(make_level(closed, surface, remeshing));
    } catch (const NoQuads& error) {
      failure = error.what();
      failed.push_back(target.text());
    }
  }
  if (made.empty() && !failed.empty()) throw NoQuads(failure);
  if (!failed.empty())
    report.warnings.push_back(fmt::format("no points at --quads {}: {}", fmt::join(failed, ","), failure));
  std::stable_sort(made.begin(), made.end(), [](const Level& a, const Level& b) {
    return a.remeshed.mesh.quads.size() > b.remeshed.mesh.quads.size();
  });
  std::vector<asset::OrientedPoints> levels;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string prefix = fmt::format("points{}_", i);
    const QuadMesh& mesh = made[i].remeshed.mesh;
    report.measures.merge(measures_of(measure(mesh, closed, surface), prefix));
    report.measures.merge(measures_of(made[i].check, prefix));
    report_level(made[i], prefix, report);
    levels.push_back(std::move(made[i].points));
  }
  return levels;
}

}  // namespace abut::preprocess
