#pragma once

#include <vector>

#include "runtime/math/pose.h"
#include "runtime/witness/piece_set.h"

namespace abut::witness {

// Lower bounds on the signed distances of all pairs of pieces of two bodies at a pose: how far they are apart
// along a few directions.
class PairBounds {
 public:
  // Of a pair of pieces, or of all pairs that have none of their own.
  struct Bound {
    std::int32_t a, b;  // the pieces; -1: all pairs
    double least;       // m: so far apart are they along n
    Vec3<double> n;     // unit, from A to B, in frame A
  };
  // A pair of pieces by its place.
  struct Place {
    std::size_t row, column;  // among the pieces of A and of B that have one
  };

  // Starts with the bounds along n. Pairs that are `limit` (m) apart there need no place.
  void open(PieceSet& A, PieceSet& B, const Pose<double>& X_AB, const Vec3<double>& n, double limit);
  // Raises the bounds that are less than `limit` to those along n.
  void tighten(PieceSet& A, PieceSet& B, const Pose<double>& X_AB, const Vec3<double>& n, double limit);
  // The pair with the least bound. Of no pair it is infinite.
  Bound least(const PieceSet& A, const PieceSet& B, Place& place) const;
  // Makes the bound of a pair infinite, one along the last direction.
  void set(const Place& place, double least);
  // Lists the `most` least bounds of those that are less than `limit` (m) one by one, after those of all
  // others, one for each direction.
  void list(const PieceSet& A, const PieceSet& B, double limit, std::size_t most, std::vector<Bound>& to);

 private:
  std::size_t width_ = 0;             // of the rows, in fours
  std::vector<double> least_;         // m, bounds of the pairs, a row for each piece of A
  std::vector<double> direction_;     // the numbers of their directions
  std::vector<double> row_, column_;  // m, the least bounds in them
  std::vector<double> near_;          // m, those to list
  std::vector<Vec3<double>> n_;       // the directions
  double rest_ = 0;                   // m, bound on all pairs without a place, along the first
};

}  // namespace abut::witness
