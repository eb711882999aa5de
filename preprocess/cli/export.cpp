#include "preprocess/cli/export.h"

#include <fmt/format.h>

#include "preprocess/mesh/write.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

TriangleMesh to_mesh(const asset::SurfaceView& surface) {
  TriangleMesh mesh;
  for (std::int32_t i = 0; i < surface.vertex_count; ++i)
    mesh.vertices.emplace_back(Eigen::Vector3d::Map(surface.vertices + 3 * i));
  for (std::int32_t i = 0; i < surface.triangle_count; ++i)
    mesh.triangles.push_back(
        {surface.triangles[3 * i], surface.triangles[3 * i + 1], surface.triangles[3 * i + 2]});
  return mesh;
}

TriangleMesh to_mesh(const asset::ConvexView& piece) {
  TriangleMesh mesh;
  for (std::int32_t i = 0; i < piece.vertex_count; ++i)
    mesh.vertices.emplace_back(piece.x[i], piece.y[i], piece.z[i]);
  for (std::int32_t i = 0; i < piece.triangle_count; ++i)
    mesh.triangles.push_back(
        {piece.triangles[3 * i], piece.triangles[3 * i + 1], piece.triangles[3 * i + 2]});
  return mesh;
}

}  // namespace

std::vector<std::string> exportable_parts() { return {"surface", "hull"}; }

void export_part(const asset::Asset& asset, const std::string& part, const std::filesystem::path& file) {
  const asset::AssetView view = asset::view(asset);
  TriangleMesh mesh;
  if (part == "surface")
    mesh = to_mesh(view.surface);
  else if (part == "hull")
    mesh = to_mesh(view.convex);
  else
    throw InvalidInput(
        fmt::format("unknown part '{}': use one of {}", part, fmt::join(exportable_parts(), ", ")));
  if (mesh.triangles.empty()) throw InvalidInput(asset.name + ": the asset has no " + part);
  write_mesh(mesh, file);
}

}  // namespace abut::preprocess
