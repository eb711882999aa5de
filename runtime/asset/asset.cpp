#include "runtime/asset/asset.h"

#include <cmath>

namespace abut::asset {

SurfaceView view(const Surface& surface) {
  return {surface.vertices.data(),
          surface.triangles.data(),
          surface.neighbours.data(),
          surface.vertex_normals.data(),
          static_cast<std::int32_t>(surface.vertices.size() / 3),
          static_cast<std::int32_t>(surface.triangles.size() / 3),
          bvh::view(surface.tree)};
}

ConvexView view(const ConvexPiece& piece) {
  const std::size_t n = piece.vertices.size() / 3;
  const double* x = piece.vertices.data();
  return {x,
          x + n,
          x + 2 * n,
          piece.triangles.data(),
          piece.adjacency_offsets.data(),
          piece.adjacency.data(),
          piece.support_lookup.data(),
          piece.candidate_offsets.empty() ? nullptr : piece.candidate_offsets.data(),
          piece.candidates.data(),
          static_cast<std::int32_t>(n),
          static_cast<std::int32_t>(piece.triangles.size() / 3),
          static_cast<std::int32_t>(
              std::lround(std::sqrt(static_cast<double>(piece.support_lookup.size()) / 6)))};
}

VolumeView view(const Volume& volume) {
  return {volume.vertices.data(),
          volume.tetrahedra.data(),
          volume.neighbours.data(),
          volume.extent.data(),
          volume.vertex_gradients.data(),
          volume.gradients.data(),
          volume.face_planes.data(),
          volume.extent_ranges.data(),
          static_cast<std::int32_t>(volume.vertices.size() / 3),
          static_cast<std::int32_t>(volume.tetrahedra.size() / 4),
          bvh::view(volume.tree),
          volume.tree_extent_ranges.data()};
}

PointsView view(const OrientedPoints& points) {
  const std::size_t n = points.areas.size();
  const double *x = points.positions.data(), *nx = points.normals.data();
  return {x,
          x + n,
          x + 2 * n,
          nx,
          nx + n,
          nx + 2 * n,
          points.areas.data(),
          points.thickness.data(),
          points.quads.data(),
          points.vertices.data(),
          points.spacing.empty() ? 0 : points.spacing.front(),
          static_cast<std::int32_t>(n),
          static_cast<std::int32_t>(points.vertices.size() / 3),
          bvh::view(points.tree)};
}

AssetView view(const Asset& asset) {
  AssetView result;
  if (!asset.surfaces.empty()) result.surface = view(asset.surfaces.front());
  if (!asset.convex.empty()) result.convex = view(asset.convex.front());
  if (!asset.volumes.empty()) result.volume = view(asset.volumes.front());
  if (!asset.points.empty()) result.points = view(asset.points.front());
  result.mass = &asset.mass;
  return result;
}

}  // namespace abut::asset
