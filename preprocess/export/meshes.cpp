#include <fmt/format.h>

#include "preprocess/export/exporter.h"
#include "preprocess/export/part.h"

// Plain mesh files for any reader; manifest.json has mass and inertia.
namespace abut::preprocess {
namespace {

std::vector<std::string> write(const asset::Asset& asset, ExportObject& object, const ExportSettings&,
                               const std::filesystem::path& folder) {
  std::vector<std::string> files;
  const auto add = [&](const char* part, const std::string& file) {
    export_part(asset, part, folder / file);
    files.push_back(file);
  };
  for (const std::string extension : {"obj", "stl"}) {
    add("surface", "surface." + extension);
    detail::write_convex(asset, object, extension, folder, files);
  }
  for (std::string& file : write_visual(object.visual, folder)) files.push_back(std::move(file));
  if (!asset.points.empty()) add("quads", "quads.obj");
  if (!asset.volumes.empty()) add("volume", "volume.vtk");
  return files;
}

}  // namespace

namespace detail {
const Exporter kMeshes{
    "meshes",
    "OBJ and STL of surface, convex parts and quads, VTK of tetrahedra with their extent, OBJ "
    "with MTL and textures of what is seen",
    lacks_surface,
    write,
    nullptr,
    false};
}

}  // namespace abut::preprocess
