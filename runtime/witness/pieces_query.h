#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/body/geometry.h"
#include "runtime/bvh/overlap.h"
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

// One pair of geometries at pose after pose. Branch and bound over pairs of nodes of both trees, nearest
// first: a pair of boxes bounds the signed distance of all pieces in them, also where they overlap. Of a
// search, lower bounds stay known of all pairs, and fall by no more than any point of one body moves relative
// to the other (a signed distance is Lipschitz with constant 1): while they are above the distance of the
// last answer's pair and its near rivals, these alone are asked. Any pose may follow any other; the answer
// depends on the pose alone, but for rounding. One per thread; after the first calls nothing is allocated.
class PiecesSolver {
 public:
  // Keeps the geometries. Throws InvalidInput for an asset without pieces, and for two half-spaces.
  PiecesSolver(const body::Geometry& A, const body::Geometry& B);

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

  // A node of a tree, or pieces of one leaf of it, in their box.
  struct Place {
    std::int32_t node = -1;  // -1: none, then `count` pieces
    std::int32_t first = 0, count = 1;
    Vec3<double> middle, half;  // m, in the body's frame; half infinite: unbounded
  };
  struct Places {
    Place a, b;
  };
  struct Entry {
    double bound;         // m, on the signed distance of what is below
    std::int32_t places;  // their number in places_
    bool operator<(const Entry& other) const { return bound > other.bound; }  // the least on top
  };

  // A pair of pieces that was answered in the last search.
  struct Rival {
    std::int32_t a, b;
    Vec3<double> n;  // unit, of its last answer, in frame A
    double bound;    // m, on its signed distance at X_searched_
  };

  void answer(const Pose<double>& X_AB, double margin);
  void search(const Pose<double>& X_AB, double margin, double slack);
  void search_leaves(const Places& leaves, const Pose<double>& X_AB, double margin, double slack);
  void ask_rivals(const Pose<double>& X_AB, double margin, double moved);
  void open(const Places& pair, const Pose<double>& X_AB, double limit);
  bool ask(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, double limit, const Vec3<double>& n);
  void ask_last(const Pose<double>& X_AB);
  void keep(const PiecesWitness& answer);
  double highest_of(const Place& place);
  double lowest_of(const Place& place, const Pose<double>& X_AB);
  void set_direction(const Vec3<double>& n);
  Witness<double> separation_of_hulls(const Pose<double>& X_AB);
  double limit(double margin) const;
  void sort_found(double limit);
  double moved(const Pose<double>& X_AB) const;
  double rounding(const Pose<double>& X_AB) const;
  double along(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, const Vec3<double>& n) const;
  static bvh::Ball ball_about(const body::Geometry& geometry);
  static Place root(const body::Geometry& geometry);
  static int children(const body::Geometry& geometry, const Place& place, Place* out);

  body::Geometry A_, B_;
  bool hulls_;                 // both are unions of pieces
  bvh::Ball ball_A_, ball_B_;  // about all of each
  std::vector<Entry> queue_;
  std::vector<Places> places_;
  std::vector<PiecesWitness> found_;  // answers of the pairs that were searched
  PiecesWitness best_;
  Vec3<double> direction_;                  // unit, from A to B, or zero
  std::vector<double> reach_A_, reach_B_;   // of each piece along it, m; NaN: not known yet
  double relative_rounding_ = 0;            // of the pose, of sizes
  SolverMemory<double> memory_;             // of the pair that was the last answer
  std::int32_t last_A_ = -1, last_B_ = -1;  // -1: none
  std::vector<Rival> rivals_;               // of the last search
  double rest_ = 0;                         // m, bound on the signed distance of all other pairs there
  double most_ = kNoLimit;                  // m, distance of pairs that count, whatever the least
  Pose<double> X_searched_;                 // of the last search
  double rounding_searched_ = 0;            // there, m
  SolverMemory<double> memory_of_hulls_;    // of the bodies' own hulls
  Workspace<double> workspace_;
};

}  // namespace abut::witness
