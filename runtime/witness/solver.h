#pragma once

#include "runtime/witness/separation.h"

namespace abut::witness {

// What a query leaves for the next one.
template <class S>
struct SolverMemory {
  Workspace<S> work;       // the polytope, and buffers
  Witness<S> last;         // answer; its simplex and normal are where the next search starts
  Pose<S> X_polytope;      // at which the workspace's polytope is, where a core is curved
  std::int32_t moves = 0;  // how often that was moved since it was made

  SolverMemory() { forget(); }
  // The next query is a cold one.
  void forget() {
    last.simplex_size = 0;
    last.n.setZero();
    work.faces.size = 0;
    moves = 0;
  }
};

namespace detail {

// The query that starts from the memory of the one before; as separate_cores() and separate_hulls().
template <class S>
Witness<S> answer_cores(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, SolverMemory<S>& memory);
Witness<double> answer_hulls(const asset::ConvexView& A, const asset::ConvexView& B, const Pose<double>& X_AB,
                             SolverMemory<double>& memory);

}  // namespace detail

// Witness points of one pair of shapes at pose after pose: separation() that remembers the vertices of its
// last answer, so that a neighbouring pose costs a fraction. Any pose may follow any other.
//
// Apart, GJK starts from the last simplex, or along the last normal where a core is curved. Overlapping, the
// last polytope moves along: its vertices stay points of the shapes, so at the new pose it is again a surface
// inside the Minkowski difference, and its least offset again a bound on the depth (epa.h). Where that bound
// meets the support height of the same face the depth is proved, globally; otherwise the polytope is expanded
// from there. An answer whose bounds do not meet is computed anew.
template <class S, class ShapeA, class ShapeB>
class WitnessSolver {
 public:
  // The shapes are copied; what a view points to must outlive the solver.
  WitnessSolver(const ShapeA& A, const ShapeB& B) : A_(A), B_(B) {}

  // B posed by X_AB; everything in frame A, m. Allocates only for a pair harder than any before it. Never
  // throws.
  Witness<S> operator()(const Pose<S>& X_AB) {
    static_assert(!detail::kHalfSpace<ShapeA> || !detail::kHalfSpace<ShapeB>,
                  "two half-spaces have no witness points");
    if constexpr (detail::kTwoHulls<S, ShapeA, ShapeB>)
      return detail::answer_hulls(A_, B_, X_AB, memory_);
    else
      return detail::answer_cores<S>(Core<S>(A_), Core<S>(B_), X_AB, memory_);
  }

  // The next query is a cold one.
  void forget() { memory_.forget(); }

 private:
  ShapeA A_;
  ShapeB B_;
  SolverMemory<S> memory_;
};

}  // namespace abut::witness
