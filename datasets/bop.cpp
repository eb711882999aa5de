// Reader of BOP, the benchmark for 6D object pose estimation [Hodan2018]: models[_TYPE][_eval]/obj_NNNNNN.ply
// in millimetres, next to a models_info.json with an entry per object.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "datasets/layouts.h"
#include "runtime/core/counted.h"
#include "runtime/core/input_file.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

constexpr const char* kInfo = "models_info.json";

bool is_model(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.size() == 14 && name.starts_with("obj_") && name.ends_with(".ply") &&
         std::all_of(name.begin() + 4, name.begin() + 10,
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool has_models(const Listing& listing) {
  return std::any_of(listing.files.begin(), listing.files.end(), is_model);
}

// The folders with models below the root, best first: models, then models_TYPE, then the decimated ones that
// BOP uses to compute pose errors (..._eval).
std::vector<fs::path> models_folders(const Listing& root) {
  std::vector<fs::path> folders;
  for (const fs::path& folder : root.folders) {
    const std::string name = folder.filename().string();
    if (name == "models" || name.starts_with("models_")) folders.push_back(folder);
  }
  const auto rank = [](const fs::path& folder) {
    const std::string name = folder.filename().string();
    return std::tuple(name != "models", name.ends_with("_eval"), name);
  };
  std::sort(folders.begin(), folders.end(),
            [&](const fs::path& a, const fs::path& b) { return rank(a) < rank(b); });
  return folders;
}

// The folder to read: the root itself or the best of those below it.
std::optional<Listing> find_models(const Listing& root) {
  if (has_models(root)) return root;
  for (const fs::path& folder : models_folders(root))
    if (Listing listing = list_folder(folder); has_models(listing)) return listing;
  return std::nullopt;
}

bool detect(const Listing& root) { return find_models(root).has_value(); }

// The names that models_info.json lists; empty, with a note, if it cannot be read.
std::set<std::string> listed_names(const fs::path& info, std::vector<std::string>& notes) {
  if (!fs::exists(info)) {
    notes.push_back(fmt::format("'{}' is missing: lengths are taken to be BOP's millimetres", info.string()));
    return {};
  }
  const nlohmann::json root = nlohmann::json::parse(read_text(info), nullptr, false);
  if (!root.is_object()) {
    notes.push_back(fmt::format("'{}' is not a JSON object: not compared with the meshes", info.string()));
    return {};
  }
  std::set<std::string> names;
  for (const auto& [key, value] : root.items()) names.insert(fmt::format("obj_{:0>6}", key));
  return names;
}

void read(const Listing& root, Dataset& dataset) {
  const std::optional<Listing> models = find_models(root);
  if (!models) return;
  if (models->folder != root.folder)
    for (const fs::path& folder : models_folders(root))
      if (folder != models->folder)
        dataset.notes.push_back(fmt::format("took '{}', not '{}'", models->folder.string(), folder.string()));
  std::set<std::string> listed = listed_names(models->folder / kInfo, dataset.notes);
  const bool compare = !listed.empty();
  std::vector<fs::path> others;
  for (const fs::path& file : models->files) {
    if (!is_model(file)) {
      if (has_mesh_extension(file)) others.push_back(file);
      continue;
    }
    ObjectSource object{.name = file.stem().string(), .file = file, .notes = {}};
    if (listed.erase(object.name) == 0 && compare)
      object.notes.push_back(fmt::format("not listed in {}", kInfo));
    dataset.objects.push_back(std::move(object));
  }
  if (!others.empty())
    dataset.notes.push_back(
        fmt::format("'{}': {} left out that {} not called obj_NNNNNN.ply (layout flat reads them): {}",
                    models->folder.string(), counted(others.size(), "mesh file"),
                    others.size() == 1 ? "is" : "are", names_text(others)));
  for (const std::string& name : listed)
    dataset.notes.push_back(
        fmt::format("'{}.ply' is missing, though {} lists it", (models->folder / name).string(), kInfo));
}

// Accepts files named like a model of BOP, next to its models_info.json.
std::optional<std::string> name_of_file(const fs::path& file) {
  if (!is_model(file) || !is_file(file.parent_path() / kInfo)) return std::nullopt;
  return file.stem().string();
}

}  // namespace

const LayoutReader kBopReader{
    "bop", 1e-3, "{models,models_TYPE,models_eval}/obj_NNNNNN.ply", false, detect, read, name_of_file};

}  // namespace abut::datasets
