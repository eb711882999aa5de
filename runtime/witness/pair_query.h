#pragma once

#include <span>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/witness/solver.h"

// Witness points of pairs of bodies: of a primitive itself, and of the convex hull of an asset (or the piece
// that the geometry refers to).
//
//   const witness::Witness<double> w = witness::separation({&mug, &box, X_AB});
namespace abut::witness {

// Returns a geometry's core, as used by the searches. The geometry must outlive it.
Core<double> core_of(const body::Geometry& geometry);

// Throws InvalidInput, naming `who`, if body::require_valid does, if an asset has no hull, or if both bodies
// are half-spaces.
void require_valid(const body::Pair& pair, const char* who);

// Computes the witness of a pair (m, frame A). Throws as require_valid() does.
Witness<double> separation(const body::Pair& pair);

// The same for a pair known to be valid, with the workspace and first guess of separation.h. Never throws.
Witness<double> separation(const body::Geometry& A, const body::Geometry& B, const Pose<double>& X_AB,
                           Workspace<double>& workspace, const Vec3<double>& guess = Vec3<double>::Zero());

// Witness points of one pair of geometries from pose to pose, with warm starts (solver.h): a neighbouring
// pose costs a fraction of the first.
class PairSolver {
 public:
  // Keeps the geometries. Throws InvalidInput if they have no witness points.
  PairSolver(const body::Geometry& A, const body::Geometry& B);

  // Results in frame A, m. Never throws; a pose with NaN or infinity gives kInvalidInput.
  Witness<double> operator()(const Pose<double>& X_AB);

  // Discards the warm start: the next query starts cold.
  void forget() { memory_.forget(); }

 private:
  body::Geometry A_, B_;
  SolverMemory<double> memory_;
};

// Computes the witnesses of many pairs on several threads; results are bit-identical for any number of
// threads. Keeps the workspaces: after the first call with the hardest pairs it does not allocate.
class BatchSeparation {
 public:
  explicit BatchSeparation(int threads = 0);  // 0: one per core

  // Writes the result for pairs[i] to results[i]. Throws InvalidInput before anything is computed if the
  // lengths differ or a pair is invalid; the message names the pair.
  void operator()(std::span<const body::Pair> pairs, std::span<Witness<double>> results);

 private:
  std::vector<Workspace<double>> workspaces_;
};

}  // namespace abut::witness
