// Reader of Google Scanned Objects: NAME/meshes/model.obj as distributed, NAME/model.obj in common
// repackagings.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "datasets/layouts.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

const std::array kFiles{fs::path("meshes") / "model.obj", fs::path("model.obj")};

std::optional<fs::path> find_mesh(const fs::path& object) {
  for (const fs::path& file : kFiles)
    if (is_file(object / file)) return object / file;
  return std::nullopt;
}

// model.obj directly below the root is one mesh in a flat folder; meshes/model.obj makes the root an object's
// own folder.
bool is_object(const fs::path& root) { return is_file(root / kFiles.front()); }

bool detect(const Listing& root) {
  return is_object(root.folder) ||
         std::any_of(root.folders.begin(), root.folders.end(),
                     [](const fs::path& folder) { return find_mesh(folder).has_value(); });
}

void read_object(const fs::path& folder, Dataset& dataset) {
  if (const std::optional<fs::path> file = find_mesh(folder))
    dataset.objects.push_back({.name = folder_name(folder), .file = *file, .notes = {}});
  else
    dataset.notes.push_back(
        fmt::format("'{}': no mesh; looked for {}", folder.string(), kGsoReader.looked_for));
}

void read(const Listing& root, Dataset& dataset) {
  if (is_object(root.folder)) return read_object(root.folder, dataset);
  for (const fs::path& folder : root.folders) read_object(folder, dataset);
}

std::optional<std::string> name_of_file(const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (file.filename() != "model.obj" || folder.filename() != "meshes") return std::nullopt;
  return folder_name(folder.parent_path());
}

}  // namespace

const LayoutReader kGsoReader{"gso", 1,           "NAME/{meshes/model.obj,model.obj}", true, detect,
                              read,  name_of_file};

}  // namespace abut::datasets
