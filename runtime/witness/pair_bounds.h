#pragma once

#include <vector>

#include "runtime/math/pose.h"
#include "runtime/witness/piece_set.h"

namespace abut::witness {

// Lower bounds on the signed distances of all pairs of pieces of two bodies at a pose, from their separation
// along a few directions.
class PairBounds {
 public:
  // Bound of one pair of pieces, or of all pairs without a bound of their own.
  struct Bound {
    std::int32_t a, b;  // the pieces; -1: all pairs
    double least;       // m: separation along n
    Vec3<double> n;     // unit, from A to B, in frame A
  };
  // Position of a pair of pieces in the table of bounds.
  struct Place {
    std::size_t row, column;  // among the chosen pieces of A and of B
  };

  // Initialises the bounds along n. Pairs that are at least `limit` (m) apart along n need no place in the
  // table.
  void open(PieceSet& A, PieceSet& B, const Pose<double>& X_AB, const Vec3<double>& n, double limit);
  // Raises the bounds below `limit` to those along n.
  void tighten(PieceSet& A, PieceSet& B, const Pose<double>& X_AB, const Vec3<double>& n, double limit);
  // Returns the pair with the least bound, and its place; the bound is infinite if no pair is left.
  Bound least(const PieceSet& A, const PieceSet& B, Place& place) const;
  // Sets the bound of a pair to infinity, or to `least` (m) along the last direction.
  void set(const Place& place, double least);
  // Lists the bounds: first one per direction, which holds for all pairs not listed singly, then the `most`
  // least ones of those below `limit` (m), one per pair.
  void list(const PieceSet& A, const PieceSet& B, double limit, std::size_t most, std::vector<Bound>& to);

 private:
  std::size_t width_ = 0;             // width of the rows, in groups of four
  std::vector<double> least_;         // m, bounds of the pairs, a row for each piece of A
  std::vector<double> direction_;     // indices of their directions
  std::vector<double> row_, column_;  // m, the least bound in each
  std::vector<double> near_;          // m, bounds to list
  std::vector<Vec3<double>> n_;       // the directions
  double rest_ = 0;                   // m, bound on all pairs without a place, along the first direction
};

}  // namespace abut::witness
