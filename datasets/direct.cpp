// Reader of a folder with one folder per object, each with one mesh of any name: NAME/anything.obj.
#include <fmt/format.h>

#include <algorithm>

#include "datasets/deeper.h"
#include "datasets/layouts.h"
#include "runtime/core/error.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

// The meshes in a folder, without scenes if there is another mesh. Empty, with a note, if the folder cannot
// be listed.
std::vector<fs::path> meshes_in(const fs::path& folder, std::vector<std::string>& notes) try {
  Listing listing = list_folder(folder);
  notes.insert(notes.end(), listing.notes.begin(), listing.notes.end());
  const std::vector<fs::path> meshes = meshes_of(listing.files);
  std::vector<fs::path> shapes = meshes;
  std::erase_if(shapes, is_scene);
  return shapes.empty() ? meshes : shapes;
} catch (const IoError& error) {
  notes.emplace_back(error.what());
  return {};
}

std::string no_mesh(const fs::path& folder) {
  const std::string deeper = deeper_text(folder);
  return deeper.empty() ? fmt::format("'{}': no mesh", folder.string())
                        : fmt::format("'{}': no mesh directly in it; {}", folder.string(), deeper);
}

// A folder with several meshes belongs to the flat layout.
bool detect(const Listing& root) { return folders_with_one_mesh(root) > 0; }

void read(const Listing& root, Dataset& dataset) {
  for (const fs::path& folder : root.folders) {
    const std::vector<fs::path> meshes = meshes_in(folder, dataset.notes);
    if (meshes.size() == 1)
      dataset.objects.push_back({.name = folder_name(folder), .file = meshes.front(), .notes = {}});
    else if (meshes.empty())
      dataset.notes.push_back(no_mesh(folder));
    else
      dataset.notes.push_back(fmt::format("'{}': {} mesh files where one is the object ({}, {}{}); left out",
                                          folder.string(), meshes.size(), meshes[0].filename().string(),
                                          meshes[1].filename().string(), meshes.size() > 2 ? ", ..." : ""));
  }
}

// A single mesh file is named after itself.
std::optional<std::string> name_of_file(const fs::path&) { return std::nullopt; }

}  // namespace

std::size_t folders_with_one_mesh(const Listing& root) {
  std::vector<std::string> unused;
  return static_cast<std::size_t>(
      std::count_if(root.folders.begin(), root.folders.end(),
                    [&](const fs::path& folder) { return meshes_in(folder, unused).size() == 1; }));
}

const LayoutReader kDirectReader{
    "direct",    1,      "NAME/MESH, one mesh file (.obj, .ply, .stl, .dae, .glb, .gltf) a folder",
    true,        detect, read,
    name_of_file};

}  // namespace abut::datasets
