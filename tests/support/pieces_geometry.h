#pragma once

#include <vector>

#include "preprocess/index/index.h"
#include "preprocess/pieces/pieces.h"
#include "runtime/body/geometry.h"
#include "runtime/bvh/build.h"

namespace abut::test {

// No pieces yet.
inline asset::Asset surface_and_hull(const preprocess::TriangleMesh& mesh) {
  asset::Asset asset;
  asset.name = "thing";
  asset.convex.push_back(preprocess::build_convex_piece(mesh.vertices));
  asset.surfaces.push_back(preprocess::build_surface(mesh));
  asset.mass = preprocess::mass_properties(mesh);
  return asset;
}

// A body with a surface, its hull and convex pieces of it.
inline body::Geometry pieces_geometry(const preprocess::TriangleMesh& mesh,
                                      const preprocess::PieceParameters& parameters) {
  asset::Asset asset = surface_and_hull(mesh);
  preprocess::Report report;
  auto made = preprocess::make_pieces(mesh, asset::view(asset.surfaces[0]), parameters, report,
                                      [](const std::string&) {});
  for (asset::ConvexPiece& piece : made.convex) asset.convex.push_back(std::move(piece));
  asset.pieces.push_back(std::move(made.pieces));
  return body::Geometry(std::move(asset));
}

// The union of convex meshes as they are, a piece each. The surface is theirs, with what is inside.
inline body::Geometry union_geometry(const std::vector<preprocess::TriangleMesh>& parts) {
  preprocess::TriangleMesh all;
  std::vector<bvh::Box> boxes;
  for (const preprocess::TriangleMesh& part : parts) {
    const auto first = static_cast<std::int32_t>(all.vertices.size());
    bvh::Box box{part.vertices[0], part.vertices[0]};
    for (const Eigen::Vector3d& p : part.vertices) {
      all.vertices.push_back(p);
      box = {box.lo.cwiseMin(p), box.hi.cwiseMax(p)};
    }
    boxes.push_back(box);
    for (const preprocess::Triangle& t : part.triangles)
      all.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  asset::Asset asset = surface_and_hull(all);
  const bvh::BuiltTree built = bvh::build_tree(boxes, 1);
  asset::Pieces pieces{{0, 0}, {0}, {}, built.tree};
  const auto count = static_cast<std::int32_t>(parts.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t part = built.order[static_cast<std::size_t>(i)];
    asset.convex.push_back(preprocess::build_convex_piece(parts[static_cast<std::size_t>(part)].vertices));
    for (std::int32_t k = 0; k < count; ++k)
      if (k != i) pieces.adjacency.push_back(k);
    pieces.adjacency_offsets.push_back(static_cast<std::int32_t>(pieces.adjacency.size()));
  }
  asset.pieces.push_back(std::move(pieces));
  return body::Geometry(std::move(asset));
}

}  // namespace abut::test
