#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/body/geometry.h"
#include "runtime/witness/pair_bounds.h"
#include "runtime/witness/pair_query.h"

// Witness points and signed distance of two bodies as unions of convex pieces: an asset is the union of its
// pieces, a primitive is a single piece.
//
//   witness::PiecesSolver solver(mug, spoon);
//   const witness::PiecesWitness w = solver(X_AB);
namespace abut::witness {

// Witness of two unions of convex pieces; everything in frame A, m. The distance is the least over all pairs
// of pieces. If the unions are apart, it is their distance, which differs from that of the surfaces by at
// most the outward and inward errors of both bodies' pieces. If they overlap, it is minus the penetration
// depth of the deepest pair: no translation shorter than `least_depth` separates the unions, and one of
// length `most_depth` does, namely the one that separates their hulls.
struct PiecesWitness {
  Witness<double> witness;    // of the nearest (deepest) pair; its bounds hold for the least over all pairs
  std::int32_t piece_A = -1;  // A's piece of that pair; -1: a primitive
  std::int32_t piece_B = -1;  // B's piece of that pair; -1: a primitive
  double least_depth = 0, most_depth = 0;  // 0 if the unions do not overlap
  std::int32_t searched = 0;  // number of pairs solved to the end; others stop once known to be farther away
};

// Solves one pair of geometries at a sequence of poses.
//
// The support heights of the pieces along one direction bound the signed distances of all pairs from below:
// along the normal of the nearest pair found so far, most pairs are farther away than that pair. Of the
// remaining pairs, the one with the least bound is solved by GJK and EPA until it is known to be farther
// away; the direction that proves it also tightens the bounds of the other pairs. From pose to pose these
// bounds fall by no more than the bodies turn and approach along their directions: while they stay above the
// distance of the last answer's pair, only that pair and its near rivals are solved. Any pose may follow any
// other; the answer depends on the pose only, up to rounding. Use one solver per thread; after the first
// calls nothing is allocated.
class PiecesSolver {
 public:
  // Keeps copies of the geometries, which share their data. Throws InvalidInput for an asset without pieces,
  // and for two half-spaces.
  PiecesSolver(const body::Geometry& A, const body::Geometry& B);

  // Changes to another pair and discards the warm start; does nothing if the pair is the present one.
  // Allocates only for more pieces than before. Throws as the constructor does, and then keeps its pair.
  void set(const body::Geometry& A, const body::Geometry& B);

  // Returns the witness with B posed by X_AB. Never throws; a pose with NaN or infinity gives kInvalidInput.
  PiecesWitness operator()(const Pose<double>& X_AB);

  // Returns every pair of pieces whose distance exceeds the least by at most `margin` (m, >= 0), up to
  // rounding, in ascending order of (piece_A, piece_B). Empty for a pose that is not finite or a margin out
  // of range. Valid until the next call.
  std::span<const PiecesWitness> within(const Pose<double>& X_AB, double margin);

  // Returns every pair of pieces whose signed distance is at most `most` (m), in ascending order of (piece_A,
  // piece_B). Empty for a pose or a `most` that is not finite. Valid until the next call. Takes no warm
  // start: the result depends on the arguments only, bit for bit.
  std::span<const PiecesWitness> up_to(const Pose<double>& X_AB, double most);

  // Discards the warm start: the next query is computed from scratch.
  void forget();

 private:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  void measure();
  void answer(const Pose<double>& X_AB, double margin);
  void search(const Pose<double>& X_AB, double margin);
  Vec3<double> ask_first(const Pose<double>& X_AB);
  bool ask_rivals(const Pose<double>& X_AB, double margin);
  Witness<double> ask(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, double limit,
                      const Vec3<double>& n);
  void ask_last(const Pose<double>& X_AB);
  void keep(const PiecesWitness& answer);
  void list_bounds(const Pose<double>& X_AB, double margin);
  Witness<double> separation_of_hulls(const Pose<double>& X_AB);
  double gap(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, const Vec3<double>& n) const;
  double limit(double margin) const;
  void sort_found(double limit);
  double rounding(const Pose<double>& X_AB) const;
  double rounding_of_gaps(const Pose<double>& X_AB) const;

  PieceSet A_, B_;
  bool hulls_ = false;                      // both bodies are unions of polytopes
  double size_ = 0;                         // sum of the bodies' sizes, m
  double tie_ = 0;                          // distances that differ by less count as equal, m
  double most_ = kNoLimit;                  // pairs farther apart than this never count, m
  std::vector<PiecesWitness> found_;        // answers of the pairs solved in this query
  PiecesWitness best_;                      // the one of least distance
  PairBounds pairs_;                        // of the last search over all pairs
  std::vector<PairBounds::Bound> bounds_;   // these bounds as a list, raised since; empty: not made yet
  std::vector<PiecesWitness> searched_;     // pairs that the last search found
  Pose<double> X_searched_;                 // pose X_AB of the last search
  SolverMemory<double> memory_;             // warm start of the last answer's pair
  std::int32_t last_A_ = -1, last_B_ = -1;  // the last answer's pair; -1: none
  SolverMemory<double> memory_of_hulls_;    // warm start of the pair of whole hulls
  double least_of_hulls_ = 0;               // lower bound on the hulls' signed distance, m; NaN: not known
  Workspace<double> workspace_;
};

}  // namespace abut::witness
