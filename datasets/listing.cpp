#include "datasets/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/core/error.h"
#include "runtime/core/extension.h"

namespace abut::datasets {
namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_scene(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".dae" || extension == ".glb" || extension == ".gltf";
}

bool has_mesh_extension(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".obj" || extension == ".ply" || extension == ".stl" || is_scene(path);
}

std::vector<fs::path> meshes_of(const std::vector<fs::path>& files) {
  std::set<fs::path> shapes;  // stems of the meshes that are no scenes
  for (const fs::path& file : files)
    if (has_mesh_extension(file) && !is_scene(file)) shapes.insert(file.stem());
  std::vector<fs::path> meshes;
  for (const fs::path& file : files)
    if (has_mesh_extension(file) && !(is_scene(file) && shapes.contains(file.stem()))) meshes.push_back(file);
  return meshes;
}

std::string names_text(const std::vector<fs::path>& entries) {
  constexpr std::size_t kMaxNames = 20;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(entries.size(), kMaxNames); ++i)
    names.push_back(entries[i].filename().string());
  return fmt::format(
      "{}{}", fmt::join(names, ", "),
      entries.size() > kMaxNames ? fmt::format(" and {} more", entries.size() - kMaxNames) : "");
}

std::string folder_name(const fs::path& folder) {
  const fs::path normal = fs::absolute(folder).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

Listing list_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().native().front() != '.') entries.push_back(it->path());
  if (error) throw IoError(fmt::format("'{}': cannot list the folder: {}", folder.string(), error.message()));
  std::sort(entries.begin(), entries.end());

  Listing listing;
  listing.folder = folder;
  for (const fs::path& entry : entries) {
    if (is_folder(entry))
      listing.folders.push_back(entry);
    else if (is_file(entry))
      listing.files.push_back(entry);
    else if (has_mesh_extension(entry))
      listing.notes.push_back(fmt::format(
          "'{}': neither a file nor a link to one that can be reached; left out", entry.string()));
  }
  return listing;
}

}  // namespace abut::datasets
