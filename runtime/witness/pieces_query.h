#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/body/geometry.h"
#include "runtime/witness/pair_bounds.h"
#include "runtime/witness/pair_query.h"

// Witness points and signed distance of two bodies that are unions of convex pieces: an asset's pieces, a
// primitive as it is.
//
//   witness::PiecesSolver solver(mug, spoon);
//   const witness::PiecesWitness w = solver(X_AB);
namespace abut::witness {

// Everything in frame A, m. The distance is the least of all pairs of pieces. Apart it is that of the unions,
// which is within both bodies' outward and inward errors of that of their surfaces. Where they overlap it is
// minus the depth of the deepest pair, and no translation shorter than `least_depth` takes the unions apart,
// some of the length `most_depth` does: that which takes their hulls apart.
struct PiecesWitness {
  Witness<double> witness;    // of the pair of pieces; its bounds hold for the least of all pairs
  std::int32_t piece_A = -1;  // of the pair; -1: a primitive
  std::int32_t piece_B = -1;  // of the pair; -1: a primitive
  double least_depth = 0, most_depth = 0;  // 0 where the unions do not overlap
  std::int32_t searched = 0;  // pairs of pieces that were answered, others ended as soon as they were beyond
};

// One pair of geometries at pose after pose. How far the pieces reach along a direction bounds the signed
// distances of all pairs at once: along the normal of the nearest pair met so far most pairs are farther away
// than that. Of those left the one with the least bound is asked by GJK and EPA, until it is known to be
// beyond the least; the direction that shows it bounds the others, too. From pose to pose these bounds fall
// by no more than the bodies turn and come nearer along their directions: while they are above the distance
// of the last answer's pair and its near rivals, these alone are asked. Any pose may follow any other; the
// answer depends on the pose alone, but for rounding. One per thread; after the first calls nothing is
// allocated.
class PiecesSolver {
 public:
  // Keeps the geometries. Throws InvalidInput for an asset without pieces, and for two half-spaces.
  PiecesSolver(const body::Geometry& A, const body::Geometry& B);

  // Another pair, the same solver where it is the one at hand: allocates for more pieces alone. Throws as the
  // constructor, and then keeps the pair that it has.
  void set(const body::Geometry& A, const body::Geometry& B);

  // Never throws; a pose that is none gives kInvalidInput.
  PiecesWitness operator()(const Pose<double>& X_AB);

  // Every pair of pieces whose distance is at most `margin` (m, >= 0) above the least, to rounding, in the
  // order of their numbers: valid until the next call.
  std::span<const PiecesWitness> within(const Pose<double>& X_AB, double margin);

  // Every pair of pieces whose distance is at most `most` (m), in the order of their numbers: valid until the
  // next call. A cold query: the bits depend on the pose alone.
  std::span<const PiecesWitness> up_to(const Pose<double>& X_AB, double most);

  // The next query is a cold one.
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
  bool hulls_ = false;                      // both are unions of polytopes
  double size_ = 0;                         // of the bodies, m
  double tie_ = 0;                          // m: distances that differ by less are equal
  double most_ = kNoLimit;                  // m, distance of pairs that count, whatever the least
  std::vector<PiecesWitness> found_;        // answers of the pairs that were asked
  PiecesWitness best_;                      // the least of them
  PairBounds pairs_;                        // of the last search
  std::vector<PairBounds::Bound> bounds_;   // the same as a list, raised since; empty: not made yet
  std::vector<PiecesWitness> searched_;     // what that search found
  Pose<double> X_searched_;                 // where it was
  SolverMemory<double> memory_;             // of the pair that was the last answer
  std::int32_t last_A_ = -1, last_B_ = -1;  // -1: none
  SolverMemory<double> memory_of_hulls_;    // of the bodies' own hulls
  double least_of_hulls_ = 0;               // m, bound on their signed distance; NaN: not known yet
  Workspace<double> workspace_;
};

}  // namespace abut::witness
