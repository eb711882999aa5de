#pragma once

#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// Approximate convex decomposition: convex polytopes whose union stands for a solid, within measured errors.
//
//   PieceParameters parameters{.kind = PieceParameters::Kind::kAuto};
//   ConvexPieces made = make_pieces(mesh, surface, parameters, report, [](const std::string&) {});
namespace abut::preprocess {

inline constexpr int kAutoPieces = 64;  // at most, with `auto`
inline constexpr int kMaxPieces = 1024;

struct PieceParameters {
  enum class Kind { kNone, kAuto, kCount } kind = Kind::kNone;
  int count = kAutoPieces;  // at most
  double error = 1e-3;      // m: at most, outward and inward
  int vertices = 64;        // of a piece, at most; 4 or more

  std::string text() const;  // as --pieces takes it
};

// "none", "auto" or their largest number; the rest of `parameters` stays. Throws InvalidInput for anything
// else.
void set_pieces(const std::string& text, PieceParameters& parameters);

struct ConvexPieces {
  std::vector<asset::ConvexPiece> convex;  // in the leaf order of the tree
  asset::Pieces pieces;
};

// Polytopes, each the hull of its points (m), as pieces with the errors (m) of their union: the tree over
// them and their adjacency.
ConvexPieces build_pieces(const std::vector<std::vector<Eigen::Vector3d>>& points, double outward,
                          double inward);

// The pieces of a closed surface, given as a mesh and as what build_surface made of it. `parameters.error` is
// a wish: with too few pieces or vertices for it the errors are as small as the search finds them, a warning
// says how far off they are. Errors are bounds: outward by branch and bound over exact distances, inward from
// the corners of the convex parts that the pieces stand for. The same on any number of threads.
//
// Measures: pieces, pieces_vertices (of all), pieces_outward_m, pieces_inward_m.
ConvexPieces make_pieces(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const PieceParameters& parameters, Report& report, const Progress& progress);

}  // namespace abut::preprocess
