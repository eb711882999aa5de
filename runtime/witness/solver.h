#pragma once

#include "runtime/witness/separation.h"

namespace abut::witness {

// What a query keeps as the warm start of the next one.
template <class S>
struct SolverMemory {
  Workspace<S> work;       // the expanding polytope, and scratch
  Witness<S> last;         // last answer; the next search starts from its simplex or normal
  Pose<S> X_polytope;      // pose X_AB to which the polytope belongs; used where a core is curved
  std::int32_t moves = 0;  // number of times that this polytope has been moved to another pose

  SolverMemory() { forget(); }
  // Discards the warm start: the next query is computed from scratch.
  void forget() {
    last.simplex_size = 0;
    last.n.setZero();
    work.faces.size = 0;
    moves = 0;
  }
};

namespace detail {

// Warm-started versions of separate_cores() and separate_hulls(): start from `memory` and update it.
template <class S>
Witness<S> answer_cores(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, SolverMemory<S>& memory);
Witness<double> answer_hulls(const asset::ConvexView& A, const asset::ConvexView& B, const Pose<double>& X_AB,
                             SolverMemory<double>& memory);

}  // namespace detail

// Witness points of one pair of shapes from pose to pose: separation() with a warm start from the last
// result, so that a neighbouring pose costs a fraction. Any pose may follow any other.
//
// If the shapes are apart, GJK starts from the last simplex, or along the last normal where a core is curved.
// If they overlap, the last polytope is moved along: its vertices remain points of the shapes, so at the new
// pose it is again a surface inside the Minkowski difference, and its least offset is again a bound on the
// depth (epa.h). Where that bound meets the support height of the same face, the depth is proved to be the
// global one; otherwise the polytope is expanded from there. An answer whose bounds do not meet is discarded
// and computed from scratch.
template <class S, class ShapeA, class ShapeB>
class WitnessSolver {
 public:
  // Copies the shapes; data that a view points to must outlive the solver.
  WitnessSolver(const ShapeA& A, const ShapeB& B) : A_(A), B_(B) {}

  // Returns the witness with B posed by X_AB; everything in frame A, m. Allocates only if the pose needs a
  // larger polytope than any before it. Never throws.
  Witness<S> operator()(const Pose<S>& X_AB) {
    static_assert(!detail::kHalfSpace<ShapeA> || !detail::kHalfSpace<ShapeB>,
                  "two half-spaces have no witness points");
    if constexpr (detail::kTwoHulls<S, ShapeA, ShapeB>)
      return detail::answer_hulls(A_, B_, X_AB, memory_);
    else
      return detail::answer_cores<S>(Core<S>(A_), Core<S>(B_), X_AB, memory_);
  }

  // Discards the warm start: the next query is computed from scratch.
  void forget() { memory_.forget(); }

 private:
  ShapeA A_;
  ShapeB B_;
  SolverMemory<S> memory_;
};

}  // namespace abut::witness
