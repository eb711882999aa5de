#pragma once

#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// Approximate convex decomposition: convex polytopes whose union approximates a solid, within measured
// errors.
//
//   PieceParameters parameters{.kind = PieceParameters::Kind::kAuto};
//   ConvexPieces made = make_pieces(mesh, surface, parameters, report, [](const std::string&) {});
namespace abut::preprocess {

inline constexpr int kAutoPieces = 64;  // largest number with `auto`
inline constexpr int kMaxPieces = 1024;

struct PieceParameters {
  enum class Kind { kNone, kAuto, kCount } kind = Kind::kNone;
  int count = kAutoPieces;  // largest number of pieces
  double error = 1e-3;      // wanted bound, m, outward and inward
  int vertices = 64;        // largest number for each piece; at least 4

  std::string text() const;  // in the syntax of --pieces
};

// Parses "none", "auto" or the largest number of pieces, and leaves the other parameters unchanged. Throws
// InvalidInput for anything else.
void set_pieces(const std::string& text, PieceParameters& parameters);

struct ConvexPieces {
  std::vector<asset::ConvexPiece> convex;  // in the leaf order of the tree
  asset::Pieces pieces;
};

// Builds pieces from polytopes, each the hull of its points (m), with the given errors (m) of their union:
// computes the tree over them and their adjacency.
ConvexPieces build_pieces(const std::vector<std::vector<Eigen::Vector3d>>& points, double outward,
                          double inward);

// Makes the pieces of a closed surface, given as a mesh and as the result of build_surface.
// `parameters.error` is a target: if there are too few pieces or vertices to meet it, the errors are as small
// as the search can make them, and a warning reports them. Errors are upper bounds: outward by branch and
// bound over exact distances, inward from the corners of the convex parts that the pieces represent.
// Deterministic: the same on any number of threads.
//
// Measures: pieces, pieces_vertices (of all), pieces_outward_m, pieces_inward_m.
ConvexPieces make_pieces(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const PieceParameters& parameters, Report& report, const Progress& progress);

}  // namespace abut::preprocess
