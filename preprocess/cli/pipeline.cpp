#include "preprocess/cli/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "preprocess/cli/versions.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/gltf.h"
#include "preprocess/mesh/read.h"
#include "preprocess/mesh/recentre.h"
#include "preprocess/remesh/no_quads.h"
#include "runtime/asset/container.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

// Runs the stages in order and records their times.
class Stages {
 public:
  Stages(const StageCallback& callback, asset::Provenance& provenance)
      : callback_(callback), provenance_(provenance) {}

  template <class Stage>
  auto run(const char* name, Stage&& stage) {
    if (callback_) callback_(name);
    const auto begin = std::chrono::steady_clock::now();
    auto result = stage();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    provenance_.stage_seconds.emplace_back(name, took.count());
    return result;
  }

 private:
  const StageCallback& callback_;
  asset::Provenance& provenance_;
};

// The first key whose values differ between the two maps.
std::optional<std::string> first_difference(const std::map<std::string, std::string>& before,
                                            const std::map<std::string, std::string>& now) {
  for (const auto& [key, value] : now)
    if (const auto found = before.find(key); found == before.end() || found->second != value) return key;
  for (const auto& entry : before)
    if (!now.contains(entry.first)) return entry.first;
  return std::nullopt;
}

// Adds the file's name to messages of stages after reading, which do not know it.
template <class Stage>
auto naming(const std::filesystem::path& file, Stage&& stage) {
  try {
    return stage();
  } catch (const InvalidInput& error) {
    const std::string message = error.what(), name = file.string();
    throw InvalidInput(message.starts_with(name) ? message : name + ": " + message);
  }
}

// If the inside cannot be made (the object is too thin for a volume, TetGen reaches limits of its own), the
// object does not fail: surface, hull and mass properties are complete, and most runtime queries need no
// volume. Those that do find the part absent. make_volumes throws before its first level only for invalid
// parameters, which would fail for every object; that remains an error.
std::vector<asset::Volume> volumes_if_possible(const TriangleMesh& surface,
                                               const VolumeParameters& parameters, Report& report) {
  const std::size_t warnings = report.warnings.size();
  std::vector<asset::Volume> volumes;
  try {
    volumes = make_volumes(surface, parameters, report);
  } catch (const InvalidInput&) {
    if (report.warnings.size() == warnings) throw;
  }
  report.measures["volumes"] = static_cast<double>(volumes.size());
  return volumes;
}

// Likewise for a surface from which no quads can be made; queries that need points find them absent.
std::vector<asset::OrientedPoints> points_if_possible(const TriangleMesh& surface,
                                                      const PointParameters& parameters, Report& report) {
  try {
    return make_point_levels(surface, parameters, report);
  } catch (const NoQuads& error) {
    report.warnings.push_back(fmt::format("no points: {}", error.what()));
    report.measures["points"] = 0;
    return {};
  }
}

void add_pieces(ConvexPieces made, asset::Asset& asset) {
  std::move(made.convex.begin(), made.convex.end(), std::back_inserter(asset.convex));
  asset.pieces.push_back(std::move(made.pieces));
}

asset::Asset make_from(const datasets::ObjectSource& source, const Parameters& parameters,
                       const StageCallback& stage) {
  asset::Asset result;
  result.name = source.name;
  asset::Provenance& provenance = result.provenance;
  provenance.source_file = absolute_source(source);
  provenance.parameters = describe(parameters, source.metres_per_unit);
  provenance.versions = versions();
  Report report;
  Stages stages(stage, provenance);

  const TriangleMesh soup = stages.run("read", [&] {
    provenance.source_digest = digest_of(source.file);
    TriangleMesh mesh = read_mesh(source.file, source.metres_per_unit, report);
    if (digest_of(source.file) != provenance.source_digest)
      throw InvalidInput(source.file.string() + ": has changed while it was read; run again");
    recentre(mesh, report);
    return mesh;
  });
  const std::size_t warnings = report.warnings.size();
  const ClosedSurface closed =
      stages.run("close", [&] { return close_surface(soup, parameters.close, report); });
  // Number of warnings from closing, without one for a far vertex that was kept, and plus one if the mesh was
  // moved to the origin.
  report.measures["surface_changes"] =
      static_cast<double>(report.warnings.size() - warnings - report.measures.contains("kept_far_vertices") +
                          report.measures.contains("recentred_x_m"));
  result.convex.push_back(stages.run("hull", [&] { return build_convex_piece(closed.hull_points); }));
  result.surfaces.push_back(stages.run("surface", [&] { return build_surface(closed.surface); }));
  result.mass = stages.run("mass", [&] { return mass_properties(closed.surface); });
  if (!parameters.volume.tetrahedra.empty())
    result.volumes =
        stages.run("volumes", [&] { return volumes_if_possible(closed.surface, parameters.volume, report); });
  if (!parameters.points.levels.empty())
    result.points =
        stages.run("points", [&] { return points_if_possible(closed.surface, parameters.points, report); });

  if (parameters.grid.kind != GridParameters::Kind::kNone)
    result.grids.push_back(stages.run("grid", [&] { return make_grid(result, parameters.grid, report); }));

  const auto telling = [&](const char* name) {
    return [&stage, name](const std::string& text) {
      if (stage) stage(fmt::format("{}: {}", name, text));
    };
  };
  const auto surface = [&] { return asset::view(result.surfaces.front()); };
  if (parameters.pieces.kind != PieceParameters::Kind::kNone)
    add_pieces(stages.run("pieces",
                          [&] {
                            return make_pieces(closed.surface, surface(), parameters.pieces, report,
                                               telling("pieces"));
                          }),
               result);

  if (parameters.spheres.count > 0)
    result.spheres.push_back(stages.run("spheres", [&] {
      return make_spheres(closed.surface, surface(), parameters.spheres, report, telling("spheres"));
    }));

  provenance.warnings = std::move(report.warnings);
  provenance.measures = std::move(report.measures);
  return result;
}

}  // namespace

const std::map<std::string, FieldKind>& field_kinds() {
  static const std::map<std::string, FieldKind> kinds = {{"laplace", FieldKind::kHarmonic},
                                                         {"distance", FieldKind::kDistance}};
  return kinds;
}

std::map<std::string, std::string> describe(const Parameters& parameters, double metres_per_unit) {
  const CloseParameters& close = parameters.close;
  const VolumeParameters& volume = parameters.volume;
  const auto field = std::find_if(field_kinds().begin(), field_kinds().end(),
                                  [&](const auto& kind) { return kind.second == volume.extent.field; });
  std::vector<std::string> levels;
  for (const QuadTarget& target : parameters.points.levels) levels.push_back(target.text());
  return {{"metres_per_unit", fmt::format("{}", metres_per_unit)},
          {"close.all_components", fmt::format("{}", close.all_components)},
          {"close.max_hausdorff", fmt::format("{}", close.max_hausdorff)},
          {"close.max_volume_change", fmt::format("{}", close.max_volume_change)},
          {"close.max_area_change", fmt::format("{}", close.max_area_change)},
          {"close.max_hole", fmt::format("{}", close.max_hole)},
          {"close.max_tunnel", close.max_tunnel ? fmt::format("{}", *close.max_tunnel) : "from the mesh"},
          {"volume.tetrahedra",
           volume.tetrahedra.empty() ? "none" : fmt::format("{}", fmt::join(volume.tetrahedra, ","))},
          {"volume.field", field->first},
          {"volume.core_fraction", fmt::format("{}", volume.extent.core_fraction)},
          {"volume.fill_voids", fmt::format("{}", volume.fill_voids)},
          {"volume.tetgen_timeout", fmt::format("{}", volume.limits.timeout_seconds)},
          {"volume.tetgen_memory", fmt::format("{}", volume.limits.memory_bytes)},
          {"points.levels", levels.empty() ? "none" : fmt::format("{}", fmt::join(levels, ","))},
          {"points.fields", fmt::format("{}", parameters.points.remesh.fields)},
          {"grid.spacing", parameters.grid.text()},
          {"pieces.count", parameters.pieces.text()},
          {"pieces.error", fmt::format("{}", parameters.pieces.error)},
          {"pieces.vertices", fmt::format("{}", parameters.pieces.vertices)},
          {"spheres.count", parameters.spheres.text()}};
}

std::string settings_text(const Parameters& parameters, double metres_per_unit) {
  std::string text;
  for (const auto& map : {describe(parameters, metres_per_unit), versions()})
    for (const auto& [name, value] : map) text.append(name).append("=").append(value).append("\n");
  return text;
}

std::string absolute_source(const datasets::ObjectSource& source) {
  return std::filesystem::absolute(source.file).lexically_normal().string();
}

std::string digest_of(const std::filesystem::path& file) { return source_digest(read_text(file), file); }

asset::Asset make_asset(const datasets::ObjectSource& source, const Parameters& parameters,
                        const StageCallback& stage) {
  return naming(source.file, [&] { return make_from(source, parameters, stage); });
}

std::optional<std::string> out_of_date(const asset::Provenance& provenance,
                                       const datasets::ObjectSource& source, const Parameters& parameters) {
  if (const auto key = first_difference(provenance.versions, versions()))
    return "the version of " + *key + " changed";
  if (const auto key = first_difference(provenance.parameters, describe(parameters, source.metres_per_unit)))
    return "the parameter " + *key + " changed";
  if (provenance.source_digest != digest_of(source.file)) return "the source changed";
  return std::nullopt;
}

void require_same_source(const asset::Provenance& provenance, const std::filesystem::path& asset,
                         const std::filesystem::path& source) {
  const std::filesystem::path before = provenance.source_file;
  std::error_code error;
  if (!std::filesystem::exists(before, error) || std::filesystem::equivalent(before, source, error)) return;
  if (provenance.source_digest == digest_of(source)) return;
  throw InvalidInput(fmt::format("{} was made of {}, this is {}: give another OUT, or remove the asset first",
                                 asset.string(), before.string(),
                                 std::filesystem::absolute(source).lexically_normal().string()));
}

}  // namespace abut::preprocess
