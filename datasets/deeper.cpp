#include "datasets/deeper.h"

#include <fmt/format.h>

#include <vector>

#include "datasets/layouts.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

// Lists a folder; empty if it cannot be listed.
Listing try_list(const fs::path& folder) try { return list_folder(folder); } catch (const IoError&) {
  return {};
}

// The layout `direct` counts only with several objects, since it accepts any folder around a mesh.
bool is_dataset(const Listing& root) {
  for (const LayoutReader* reader : kLayoutReaders)
    if (reader != &kDirectReader && reader->detect(root)) return true;
  return folders_with_one_mesh(root) > 1;
}

// The shallowest dataset on the path from `folder` down to a mesh; at the latest the mesh's own folder.
fs::path dataset_around(const fs::path& mesh, const fs::path& folder) {
  fs::path dataset = folder;
  for (const fs::path& name : mesh.parent_path()) {
    dataset /= name;
    if (is_dataset(try_list(dataset))) break;
  }
  return dataset;
}

}  // namespace

DeeperMeshes meshes_below(const fs::path& folder) {
  DeeperMeshes found;
  std::vector<fs::path> level = try_list(folder).folders;
  std::size_t searched = 0;
  for (int depth = 0; !level.empty(); ++depth) {
    std::vector<fs::path> next;
    for (const fs::path& below : level) {
      std::error_code error;
      if (fs::is_symlink(below, error)) continue;
      if (depth == kDeepest || ++searched > kMaxFolders) {
        found.all = false;
        return found;
      }
      const Listing listing = try_list(below);
      const std::vector<fs::path> meshes = meshes_of(listing.files);
      if (found.count == 0 && !meshes.empty()) found.first = meshes.front().lexically_relative(folder);
      found.count += meshes.size();
      next.insert(next.end(), listing.folders.begin(), listing.folders.end());
    }
    level = std::move(next);
  }
  return found;
}

std::string deeper_text(const fs::path& folder) {
  const DeeperMeshes found = meshes_below(folder);
  if (found.count == 0) return "";
  return fmt::format("{}{} deeper (first: {}): run it on '{}'", found.all ? "" : "at least ",
                     counted(found.count, "mesh", "meshes"), found.first.string(),
                     dataset_around(found.first, folder).string());
}

}  // namespace abut::datasets
