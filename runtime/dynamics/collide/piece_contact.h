#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"
#include "runtime/witness/pieces_query.h"

// Contact points of assets as unions of their convex pieces.
namespace abut::dynamics {

// Scratch memory of one thread.
struct PieceWorkspace {
  // Pieces that are near one another.
  struct Pair {
    std::int32_t piece_A, piece_B;                // -1: a primitive
    Vec3<double> n_W, p1_W, p2_W;                 // of their witness points
    double gap = 0;                               // m
    std::size_t first = 0;                        // their points begin there
    bool of_face = false;                         // whether the normal is that of a face
    bool of_inner_A = false, of_inner_B = false;  // of one that other pieces of its asset cover
  };
  std::optional<witness::PiecesSolver> solver;  // of the last shapes
  std::vector<Pair> pairs;                      // of the shapes at hand
  std::vector<SurfacePoint> found;              // of all pairs
  std::vector<double> spread;                   // of each point: the distance, m, to those that are kept
};

// Appends points with gap <= margin of two shapes, one of which is an asset that stands for its pieces
// (kPieces) and the other too, or a primitive (then A). Pairs of near pieces are found by the pieces' trees;
// each has the normal of its witness points and, where a face lies across that, the points that the face
// shares with the other piece. Where pieces of one asset meet, their union has
// neither a face nor an edge: pairs whose normal is of such a one are left out for a deeper pair.
// Thinned out to kMaxAssetPoints that span the contact. Allocates only to grow.
void piece_points(const PlacedShape& A, const PlacedShape& B, double margin, PieceWorkspace& workspace,
                  std::vector<SurfacePoint>& points);

}  // namespace abut::dynamics
