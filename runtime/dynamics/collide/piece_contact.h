#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"
#include "runtime/witness/pieces_query.h"

// Contact points of assets that are represented by the union of their convex pieces.
namespace abut::dynamics {

// Scratch memory of one thread.
struct PieceWorkspace {
  // Two pieces that are near one another.
  struct Pair {
    std::int32_t piece_A, piece_B;                // -1 for a primitive
    Vec3<double> n_W, p1_W, p2_W;                 // normal and witness points, m
    double gap = 0;                               // m
    std::size_t first = 0;                        // index in `found` of their first point
    bool of_face = false;                         // whether the normal is that of a face
    bool of_inner_A = false, of_inner_B = false;  // whether it is that of an inner face (PieceFace::inner)
  };
  std::optional<witness::PiecesSolver> solver;  // for the last shapes
  std::vector<Pair> pairs;                      // of the current shapes
  std::vector<SurfacePoint> found;              // of all pairs
  std::vector<double> spread;                   // scratch of keep_spread (contact_reduction.h)
};

// Appends the contact points with gap <= margin, m, of an asset represented by its pieces (kPieces) and
// another such asset or a primitive (which is then A). The pieces' trees find
// pairs of near pieces. Each pair has the normal of its witness points and, where a face is perpendicular to
// that, the points that the face shares with the other piece. Where pieces of one asset meet, their union has
// neither a face nor an edge: pairs whose normal is that of such a face or edge are dropped in favour of a
// deeper pair. The points are reduced to kMaxAssetPoints that span the contact. Allocates only to grow.
void piece_points(const PlacedShape& A, const PlacedShape& B, double margin, PieceWorkspace& workspace,
                  std::vector<SurfacePoint>& points);

}  // namespace abut::dynamics
