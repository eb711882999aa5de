#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/body/geometry.h"
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
  std::int32_t searched = 0;               // pairs of pieces that were searched
};

// One pair of geometries at pose after pose. Branch and bound over pairs of nodes of both trees, nearest
// first: a pair of boxes bounds the signed distance of all pieces in them, also where they overlap. The pair
// of the last answer is asked first. Any pose may follow any other; the answer depends on the pose alone, but
// for rounding. One per thread; after the first calls nothing is allocated.
class PiecesSolver {
 public:
  // Keeps the geometries. Throws InvalidInput for an asset without pieces, and for two half-spaces.
  PiecesSolver(const body::Geometry& A, const body::Geometry& B);

  // Never throws; a pose that is none gives kInvalidInput.
  PiecesWitness operator()(const Pose<double>& X_AB);

  // Every pair of pieces whose distance is at most `margin` (m, >= 0) above the least, to rounding, in the
  // order of their numbers: valid until the next call.
  std::span<const PiecesWitness> within(const Pose<double>& X_AB, double margin);

  // The next query is a cold one.
  void forget();

 private:
  // A node of a tree, or pieces of one leaf of it, in their box.
  struct Place {
    std::int32_t node = -1;  // -1: none, then `count` pieces
    std::int32_t first = 0, count = 1;
    Vec3<double> middle, half;  // m, in the body's frame; half infinite: unbounded
  };
  struct Entry {
    double bound;  // m, on the signed distance of what is below
    Place a, b;
    bool operator<(const Entry& other) const { return bound > other.bound; }  // the least on top
  };

  void search(const Pose<double>& X_AB, double margin);
  void open(const Entry& entry, const Pose<double>& X_AB, double limit);
  void ask(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, bool warm);
  double rounding(const Pose<double>& X_AB) const;
  double along(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, const Vec3<double>& n) const;
  static Place root(const body::Geometry& geometry);
  static int children(const body::Geometry& geometry, const Place& place, Place* out);

  body::Geometry A_, B_;
  std::vector<Entry> queue_;
  std::vector<PiecesWitness> found_;  // answers of the pairs that were searched
  PiecesWitness best_;
  SolverMemory<double> memory_;             // of the pair that was the last answer
  std::int32_t last_A_ = -1, last_B_ = -1;  // -1: none
  Workspace<double> workspace_;
};

}  // namespace abut::witness
