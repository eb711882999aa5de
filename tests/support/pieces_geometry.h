#pragma once

#include "preprocess/index/index.h"
#include "preprocess/pieces/pieces.h"
#include "runtime/body/geometry.h"

namespace abut::test {

// A body with a surface, its hull and convex pieces of it.
inline body::Geometry pieces_geometry(const preprocess::TriangleMesh& mesh,
                                      const preprocess::PieceParameters& parameters) {
  asset::Asset asset;
  asset.name = "thing";
  asset.convex.push_back(preprocess::build_convex_piece(mesh.vertices));
  asset.surfaces.push_back(preprocess::build_surface(mesh));
  asset.mass = preprocess::mass_properties(mesh);
  preprocess::Report report;
  auto made = preprocess::make_pieces(mesh, asset::view(asset.surfaces[0]), parameters, report,
                                      [](const std::string&) {});
  for (asset::ConvexPiece& piece : made.convex) asset.convex.push_back(std::move(piece));
  asset.pieces.push_back(std::move(made.pieces));
  return body::Geometry(std::move(asset));
}

}  // namespace abut::test
