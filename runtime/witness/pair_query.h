#pragma once

#include <span>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/witness/solver.h"

// Witness points of pairs of bodies: of a primitive as it is, of an asset its convex hull (or the piece that
// the geometry stands for).
//
//   const witness::Witness<double> w = witness::separation({&mug, &box, X_AB});
namespace abut::witness {

// A geometry as the searches see it. The geometry must outlive it.
Core<double> core_of(const body::Geometry& geometry);

// Throws InvalidInput, naming `who`, as body::require_valid does, for an asset without hull, and for two
// half-spaces.
void require_valid(const body::Pair& pair, const char* who);

// Witness of a pair (m, frame A), its input checked as above.
Witness<double> separation(const body::Pair& pair);

// The same of a valid pair, with the workspace and a first guess as separation.h says. Never throws.
Witness<double> separation(const body::Geometry& A, const body::Geometry& B, const Pose<double>& X_AB,
                           Workspace<double>& workspace, const Vec3<double>& guess = Vec3<double>::Zero());

// Witness points of one pair of geometries at pose after pose (solver.h): a neighbouring pose costs a
// fraction of the first.
class PairSolver {
 public:
  // Keeps the geometries. Throws InvalidInput where they have no witness points.
  PairSolver(const body::Geometry& A, const body::Geometry& B);

  // Everything in frame A, m. Never throws; a pose that is none gives kInvalidInput.
  Witness<double> operator()(const Pose<double>& X_AB);

  // The next query is a cold one.
  void forget() { memory_.forget(); }

 private:
  body::Geometry A_, B_;
  SolverMemory<double> memory_;
};

// Witnesses of many pairs on several threads: the same bits for any number of them. Keeps the workspaces:
// after the first call with the hardest pairs nothing is allocated.
class BatchSeparation {
 public:
  explicit BatchSeparation(int threads = 0);  // 0: one per core

  // results[i] answers pairs[i]. Throws InvalidInput, naming the pair, before anything is computed, and where
  // the lengths differ.
  void operator()(std::span<const body::Pair> pairs, std::span<Witness<double>> results);

 private:
  std::vector<Workspace<double>> workspaces_;
};

}  // namespace abut::witness
