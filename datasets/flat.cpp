// Reader of a folder of meshes: one object per file, named after the file.
#include <fmt/format.h>

#include "datasets/layouts.h"
#include "runtime/core/counted.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

// If more folders have one mesh each, the few meshes next to them are strays: a scan of a table, a misplaced
// file.
bool detect(const Listing& root) {
  const std::size_t meshes = meshes_of(root.files).size();
  return meshes > 0 && meshes >= folders_with_one_mesh(root);
}

void read(const Listing& root, Dataset& dataset) {
  for (const fs::path& file : meshes_of(root.files))
    dataset.objects.push_back({.name = file.stem().string(), .file = file, .notes = {}});
  if (!root.folders.empty())
    dataset.notes.push_back(fmt::format("'{}': {} beside the mesh files not searched{}: {}",
                                        root.folder.string(), counted(root.folders.size(), "folder"),
                                        folders_with_one_mesh(root) > 0 ? " (layout direct reads them)" : "",
                                        names_text(root.folders)));
}

std::optional<std::string> name_of_file(const fs::path& file) {
  if (!has_mesh_extension(file)) return std::nullopt;
  return file.stem().string();
}

}  // namespace

const LayoutReader kFlatReader{
    "flat", 1, "mesh files (.obj, .ply, .stl, .dae, .glb, .gltf)", false, detect, read, name_of_file};

}  // namespace abut::datasets
