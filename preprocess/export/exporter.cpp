#include "preprocess/export/exporter.h"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/names.h"
#include "preprocess/export/part.h"
#include "runtime/core/error.h"

namespace abut::preprocess {

std::span<const Exporter> exporters() {
  static const Exporter table[] = {detail::kMujoco, detail::kDrake, detail::kUrdf, detail::kUsd,
                                   detail::kMeshes};
  return table;
}

const Exporter& exporter(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Exporter& row : exporters()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw InvalidInput(fmt::format("--to {}: use one of {}", name, fmt::join(names, ", ")));
}

std::string export_id(const std::string& name) {
  std::string id = datasets::safe_name(name);
  for (char& c : id)
    if (static_cast<unsigned char>(c) < 0x80 && !std::isalnum(static_cast<unsigned char>(c)) && c != '-' &&
        c != '.')
      c = '_';
  // Hidden files, names reserved by SDFormat and MuJoCo, and those of files next to the objects' folders.
  const bool taken = id.starts_with('.') || id.starts_with('-') || id.starts_with("__") || id == "world" ||
                     id == "scene.xml" || id == "manifest.json";
  return taken ? "object_" + id : id;
}

std::vector<std::string> export_ids(const std::vector<std::filesystem::path>& assets,
                                    std::set<std::string> taken) {
  std::vector<std::string> ids;
  ids.reserve(assets.size());
  for (const std::filesystem::path& file : assets) ids.push_back(export_id(file.stem().string()));
  std::vector<char> has_own(ids.size(), 0);
  for (std::size_t i = 0; i < ids.size(); ++i)
    has_own[i] = assets[i].stem() == ids[i] && taken.insert(ids[i]).second ? 1 : 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (has_own[i]) continue;
    const std::string id = ids[i];
    for (int k = 2; !taken.insert(ids[i]).second; ++k) ids[i] = fmt::format("{}-{}", id, k);
  }
  return ids;
}

namespace detail {

std::string digits(const Eigen::Vector3d& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

std::string lacks_surface(const asset::Asset& asset) {
  if (asset.surfaces.empty()) return "no surface";
  if (asset.convex.empty()) return "no convex hull";
  const bool whole = std::none_of(asset.convex.begin(), asset.convex.end(),
                                  [](const asset::ConvexPiece& piece) { return piece.triangles.empty(); });
  return whole ? "" : "a convex part without triangles";
}

std::vector<std::string> seen_meshes(const ExportObject& object) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < object.visual.parts.size(); ++k) names.push_back(fmt::format("visual_{}", k));
  if (names.empty()) names.emplace_back("surface");
  return names;
}

std::vector<std::string> write_seen(const asset::Asset& asset, const ExportObject& object,
                                    const std::filesystem::path& folder) {
  if (!object.visual.parts.empty()) return write_visual(object.visual, folder);
  export_part(asset, "surface", folder / "surface.obj");
  return {"surface.obj"};
}

void write_convex(const asset::Asset& asset, const ExportObject& object, const std::string& extension,
                  const std::filesystem::path& folder, std::vector<std::string>& files) {
  for (std::size_t k = 0; k < object.convex.size(); ++k) {
    files.push_back(fmt::format("{}_convex_{}.{}", object.id, k, extension));
    export_part(asset, object.convex[k], folder / files.back());
  }
}

}  // namespace detail

}  // namespace abut::preprocess
