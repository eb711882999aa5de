#include <fmt/format.h>

#include "preprocess/export/exporter.h"
#include "preprocess/export/part.h"

// Plain files for whatever reads meshes; manifest.json has mass and inertia.
namespace abut::preprocess {
namespace {

std::vector<std::string> write(const asset::Asset& asset, const ExportObject& object, const ExportSettings&,
                               const std::filesystem::path& folder) {
  std::vector<std::string> files;
  const auto add = [&](const char* part, const char* file) {
    export_part(asset, part, folder / file);
    files.emplace_back(file);
  };
  for (const char* extension : {"obj", "stl"})
    for (std::string& file : detail::write_meshes(asset, object, extension, folder))
      files.push_back(std::move(file));
  if (!asset.points.empty()) add("quads", "quads.obj");
  if (!asset.volumes.empty()) add("volume", "volume.vtk");
  return files;
}

}  // namespace

namespace detail {
const Exporter kMeshes{"meshes",
                       "OBJ and STL of surface, convex parts and quads, VTK of tetrahedra with their extent",
                       lacks_surface, write, nullptr};
}

}  // namespace abut::preprocess
