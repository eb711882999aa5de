#include "preprocess/export/export_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "preprocess/cli/versions.h"
#include "preprocess/mesh/write.h"
#include "runtime/asset/reader.h"
#include "runtime/cli/shell_word.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kScene = "scene.xml";  // for exporters that write one

nlohmann::json json_of(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::json json_of(const ExportResult& result) {
  nlohmann::json json{{"name", result.object.name}, {"asset_file", result.asset_file}};
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
    return json;
  }
  const Inertial& inertial = result.object.inertial;
  json["id"] = result.object.id;
  json["source_digest"] = result.source_digest;
  json["files"] = result.files;
  json["mass_kg"] = inertial.mass;
  json["center_of_mass_m"] = json_of(inertial.center);
  json["inertia_kg_m2"] = {json_of(inertial.inertia.row(0)), json_of(inertial.inertia.row(1)),
                           json_of(inertial.inertia.row(2))};
  json["box_m"] = {json_of(result.object.low), json_of(result.object.high)};
  if (const std::string caution = hull_caution(result.object); !caution.empty()) {
    json["hull_volume_ratio"] = result.object.hull_ratio;
    json["caution"] = caution;
  }
  if (!result.object.visual.notes.empty()) json["notes"] = result.object.visual.notes;
  return json;
}

void write_manifest(const std::vector<ExportResult>& results, const Exporter& to,
                    const ExportOptions& options, bool complete, const std::filesystem::path& out) {
  nlohmann::json objects = nlohmann::json::array();
  for (const ExportResult& result : results) objects.push_back(json_of(result));
  const nlohmann::json json{{"export", to.name},
                            {"abut", versions().at("abut")},
                            {"complete", complete},
                            {"units", "m, kg, kg m^2 about the centre of mass in the object's axes, Pa"},
                            {"modulus_pa", options.settings.modulus},
                            {"objects", objects}};
  write_whole(out / kManifest, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw IoError(fmt::format("{}: cannot make this folder: {}; choose another folder", folder.string(),
                              error ? error.message() : "something else has that name"));
}

// Whether a manifest exists that write_manifest wrote.
bool is_export(const std::filesystem::path& manifest) {
  if (!std::filesystem::exists(manifest)) return false;
  const nlohmann::json json = nlohmann::json::parse(read_text(manifest), nullptr, false);
  return json.is_object() && json.contains("export");
}

// Throws if `file` is a link: writing would replace its target.
void require_no_link(const std::filesystem::path& file) {
  std::error_code ignored;  // the writer reports the cause
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(file, ignored)))
    throw InvalidInput(fmt::format("{}: it is a link; remove it", file.string()));
}

void claim(const std::filesystem::path& out) {
  make_folder(out);
  for (const char* file : {kManifest, kScene}) require_no_link(out / file);
  std::error_code error;
  const std::filesystem::file_status manifest = std::filesystem::status(out / kManifest, error);
  if (std::filesystem::exists(manifest) && !std::filesystem::is_regular_file(manifest))
    throw InvalidInput(
        fmt::format("{}: it is no file; choose another folder, or remove it", (out / kManifest).string()));
  const bool empty = std::filesystem::is_empty(out, error);
  if (error) throw IoError(fmt::format("{}: cannot read this folder: {}", out.string(), error.message()));
  if (!empty && !is_export(out / kManifest))
    throw InvalidInput(
        fmt::format("{}: there are files here and they are no export (no {} of one); choose another "
                    "folder, or empty this one",
                    out.string(), kManifest));
}

// Creates the folder of one object. Throws InvalidInput if a file or a link has its name, or it contains a
// link.
void claim_object(const std::filesystem::path& folder) {
  const std::filesystem::file_status status = std::filesystem::symlink_status(folder);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
    throw InvalidInput(fmt::format("{}: it is no folder; remove it", folder.string()));
  make_folder(folder);
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    require_no_link(it->path());
  if (error) throw IoError(fmt::format("{}: cannot read this folder: {}", folder.string(), error.message()));
}

// The pieces of the object, or its hull (piece 0) if it has none.
std::vector<std::string> convex_parts(const asset::Asset& asset) {
  std::vector<std::string> parts;
  for (std::size_t k = asset.convex.size() > 1 ? 1 : 0; k < asset.convex.size(); ++k)
    parts.push_back(fmt::format("hull:{}", k));
  return parts;
}

// The volume of the only part that collides, the hull or a single piece, over that of the solid.
double hull_ratio(const asset::Asset& asset) {
  const asset::ConvexPiece& hull = asset.convex.back();
  const auto count = static_cast<Eigen::Index>(hull.vertices.size() / 3);
  const Eigen::Map<const Eigen::MatrixX3d> points(hull.vertices.data(), count, 3);
  const Eigen::RowVector3d center = points.colwise().mean();
  double volume = 0;
  for (std::size_t t = 0; t < hull.triangles.size(); t += 3) {
    Eigen::Matrix3d corners;
    for (int k = 0; k < 3; ++k) corners.row(k) = points.row(hull.triangles[t + k]) - center;
    volume += corners.determinant() / 6;
  }
  return volume / asset.mass.volume;
}

ExportObject object_of(const asset::Asset& asset, const ExportOptions& options, const std::string& id) {
  ExportObject object{
      asset.name, id, {}, convex_parts(asset), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), {}, 0};
  const auto amount = options.amounts.find(asset.name);
  object.inertial =
      inertial_of(asset.mass, amount == options.amounts.end() ? options.amount : amount->second);
  const std::vector<double>& vertices = asset.surfaces[0].vertices;
  const Eigen::Map<const Eigen::Matrix3Xd> points(vertices.data(), 3,
                                                  static_cast<Eigen::Index>(vertices.size() / 3));
  object.low = points.rowwise().minCoeff();
  object.high = points.rowwise().maxCoeff();
  return object;
}

// Exports one asset to out/<id>/. If that fails, `result` gives the reason. Throws IoError if files cannot be
// written.
void export_one(const std::filesystem::path& file, const std::string& id, const Exporter& to,
                const ExportOptions& options, const std::filesystem::path& out, ExportResult& result) {
  asset::Asset asset;
  try {
    asset = load_named_by_file(file);
    if (const std::string missing = to.lacks(asset); !missing.empty())
      throw InvalidInput("the asset has " + missing);
    result.object = object_of(asset, options, id);
    if (to.convex_collides && asset.convex.size() <= 2) result.object.hull_ratio = hull_ratio(asset);
  } catch (const Error& error) {
    result.failure = error.what();
    return;
  }
  const std::filesystem::path folder = out / id;
  try {
    claim_object(folder);
  } catch (const InvalidInput& error) {
    result.failure = error.what();
    return;
  }
  try {
    result.object.visual = visual_of(asset, {result.object.low, result.object.high});
    for (const std::string& name : to.write(asset, result.object, options.settings, folder))
      result.files.push_back(fmt::format("{}/{}", id, name));
    result.object.visual.drop_data();
    result.source_digest = asset.provenance.source_digest;
  } catch (const InvalidInput& error) {
    result.failure = error.what();
    std::error_code ignored;  // it stays if an earlier export left files in it
    std::filesystem::remove(folder, ignored);
  }
}

}  // namespace

std::string hull_caution(const ExportObject& object) {
  constexpr double kClearlyLarger = 1.05;
  if (object.hull_ratio <= kClearlyLarger) return {};
  return fmt::format(
      "collides as its convex hull, {:.{}f} times its volume: make the asset with --pieces auto",
      object.hull_ratio, object.hull_ratio < 2 ? 2 : 1);
}

asset::Asset load_named_by_file(const std::filesystem::path& file) {
  asset::Asset asset = asset::load(file);
  asset.name = file.stem().string();
  return asset;
}

std::vector<std::filesystem::path> assets_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw IoError(fmt::format("{}: {}", path.string(), error.message()));
  if (!std::filesystem::is_directory(status)) return {path};
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    // Also folders, pipes and links that lead nowhere: loading them reports the problem.
    if (it->path().extension() == ".h5") files.push_back(it->path());
  }
  if (error) throw IoError(fmt::format("{}: cannot read this folder: {}", path.string(), error.message()));
  if (files.empty())
    throw InvalidInput(
        fmt::format("{}: there is no asset (*.h5) in this folder; `abut-preprocess DATASET {}` makes some",
                    path.string(), cli::shell_word(path.string())));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<ExportResult> export_set(const std::vector<std::filesystem::path>& assets, const Exporter& to,
                                     const std::filesystem::path& out, const ExportOptions& options,
                                     const std::function<void(const ExportResult&)>& done) {
  claim(out);
  std::error_code removal;  // the scene of an earlier export is not of these objects
  if (!std::filesystem::remove(out / kScene, removal) && removal)
    throw IoError(fmt::format("{}: cannot be removed: {}", (out / kScene).string(), removal.message()));
  std::vector<ExportResult> results;
  write_manifest(results, to, options, false, out);
  const std::vector<std::string> ids = export_ids(assets);
  std::vector<ExportObject> written;
  for (std::size_t i = 0; i < assets.size(); ++i) {
    ExportResult& result = results.emplace_back();
    result.asset_file = assets[i].string();
    result.object.name = assets[i].stem().string();
    try {
      within_memory(assets[i], [&] { export_one(assets[i], ids[i], to, options, out, result); });
    } catch (const OutOfMemory& error) {
      result.failure = error.what();
    }
    if (result.failure.empty()) written.push_back(result.object);
    done(result);
  }
  if (to.write_scene != nullptr) to.write_scene(written, out);
  write_manifest(results, to, options, true, out);
  return results;
}

}  // namespace abut::preprocess
