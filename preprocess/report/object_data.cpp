#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "preprocess/draw/cut.h"
#include "preprocess/report/page_data.h"

namespace abut::preprocess {
namespace {

std::vector<float> floats(const double* numbers, std::size_t count) { return {numbers, numbers + count}; }

nlohmann::json convex_data(const asset::ConvexView& piece) {
  std::vector<float> vertices;
  for (std::int32_t v = 0; v < piece.vertex_count; ++v)
    for (const double* axis : {piece.x, piece.y, piece.z}) vertices.push_back(static_cast<float>(axis[v]));
  return mesh_data(vertices, piece.triangles, piece.triangle_count, 3);
}

nlohmann::json volume_data(const asset::VolumeView& volume) {
  nlohmann::json json = mesh_data(floats(volume.vertices, std::size_t(3) * volume.vertex_count),
                                  volume.tetrahedra, volume.tetrahedron_count, 4);
  json["extent"] = packed_floats(volume.extent, static_cast<std::size_t>(volume.vertex_count));
  return json;
}

nlohmann::json quads_data(const asset::PointsView& points) {
  nlohmann::json json = mesh_data(floats(points.vertices, std::size_t(3) * points.vertex_count), points.quads,
                                  points.point_count, 4);
  std::vector<float> positions;
  for (std::int32_t i = 0; i < points.point_count; ++i)
    for (const double* axis : {points.x, points.y, points.z})
      positions.push_back(static_cast<float>(axis[i]));
  json["points"] = packed(positions);
  return json;
}

nlohmann::json inertia_data(const asset::MassProperties& mass) {
  const Eigen::Matrix3d inertia = Eigen::Map<const Eigen::Matrix3d>(mass.inertia);
  if (!(mass.volume > 0) || !inertia.allFinite()) return nullptr;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia);
  const Eigen::Matrix3d& axes = principal.eigenvectors();
  return {{"center", vector_data(Eigen::Map<const Eigen::Vector3d>(mass.center_of_mass))},
          {"axes", {vector_data(axes.col(0)), vector_data(axes.col(1)), vector_data(axes.col(2))}},
          {"radii", vector_data((principal.eigenvalues() / mass.volume).cwiseMax(0).cwiseSqrt())}};
}

nlohmann::json spheres_data(const asset::SphereSet& spheres) {
  return {{"centers", packed_floats(spheres.centers.data(), spheres.centers.size())},
          {"radii", packed_floats(spheres.radii.data(), spheres.radii.size())}};
}

// The finest volume that a page can draw interactively while its cut moves.
const asset::Volume* drawn_volume(const asset::Asset& asset) {
  constexpr std::size_t kMaxDrawn = 20000;  // tetrahedra
  for (const asset::Volume& volume : asset.volumes)
    if (volume.tetrahedra.size() <= 4 * kMaxDrawn) return &volume;
  return nullptr;
}

}  // namespace

std::string packed_floats(const double* numbers, std::size_t count) { return packed(floats(numbers, count)); }

nlohmann::json vector_data(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::json mesh_data(const std::vector<float>& vertices, const std::int32_t* index, std::int32_t count,
                         int corners) {
  const std::size_t size = static_cast<std::size_t>(count) * static_cast<std::size_t>(corners);
  const bool wide = vertices.size() / 3 > std::numeric_limits<std::uint16_t>::max();
  return {{"vertices", packed(vertices)},
          {"index", wide ? packed(std::vector<std::uint32_t>(index, index + size))
                         : packed(std::vector<std::uint16_t>(index, index + size))},
          {"wide", wide},
          {"count", count}};
}

nlohmann::json surface_data(const asset::SurfaceView& surface) {
  return mesh_data(floats(surface.vertices, std::size_t(3) * surface.vertex_count), surface.triangles,
                   surface.triangle_count, 3);
}

nlohmann::json object_data(const asset::Asset& asset) {
  const asset::AssetView view = asset::view(asset);
  const Eigen::Map<const Eigen::Matrix3Xd> points(view.surface.vertices, 3, view.surface.vertex_count);
  nlohmann::json json{{"pieces", nlohmann::json::array()}, {"cut", {{"axis", 1}}}};
  json["low"] = vector_data(points.rowwise().minCoeff());
  json["high"] = vector_data(points.rowwise().maxCoeff());
  json["surface"] = surface_data(view.surface);
  json["hull"] = convex_data(view.convex);
  for (std::size_t k = 1; k < asset.convex.size(); ++k)
    json["pieces"].push_back(convex_data(asset::view(asset.convex[k])));
  json["quads"] = asset.points.empty() ? nullptr : quads_data(view.points);
  json["spheres"] = asset.spheres.empty() ? nullptr : spheres_data(asset.spheres.front());
  json["inertia"] = inertia_data(asset.mass);
  if (const asset::Volume* volume = drawn_volume(asset)) {
    json["volume"] = volume_data(asset::view(*volume));
    Eigen::Index axis = 0;
    choose_cut(asset::view(*volume), Camera().toward).normal.cwiseAbs().maxCoeff(&axis);
    json["cut"]["axis"] = axis;
  } else {
    json["volume"] = nullptr;
  }
  return json;
}

}  // namespace abut::preprocess
