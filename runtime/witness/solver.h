#pragma once

#include "runtime/witness/separation.h"

namespace abut::witness {

// What a query leaves for the next one.
template <class S>
struct SolverMemory {
  Workspace<S> work;
  Witness<S> last;
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

// A query that starts from the memory of the one before.
template <class S, class ShapeA, class ShapeB>
class WarmQuery {
 public:
  WarmQuery(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, SolverMemory<S>& memory)
      : A_(A), B_(B), difference_(A, B, X_AB), memory_(memory), work_(memory.work) {}

  // True if the answer in the memory is the query's; false if nothing is known that would help.
  bool run() {
    if (holds_polytope() && answered(from_last_polytope())) return true;
    if constexpr (!kAnyCurved) {
      if (memory_.last.simplex_size > 0 && answered(from_last_simplex())) return true;
    }
    return false;
  }

  static constexpr bool kAnyCurved = kCurved<ShapeA> || kCurved<ShapeB>;

 private:
  using D = Difference<S, ShapeA, ShapeB>;

  // Beyond this size moving the polytope costs more than making a new one.
  static constexpr std::int32_t kMostVertices = kAnyCurved ? 96 : 64;

  // A curved shape's points gather rounding as they are moved, a polytope's are read anew: half of what the
  // bounds of an answer may be apart (detail::kCertifiedGap).
  static constexpr std::int32_t kMostMoves = 30;

  bool holds_polytope() const {
    return work_.faces.size > 0 && work_.vertices.size <= kMostVertices && memory_.moves < kMostMoves;
  }

  Witness<S> from_last_polytope() {
    const Pose<S> X_moved = difference_.pose() * memory_.X_polytope.inverse();
    for (std::int32_t i = 0; i < work_.vertices.size; ++i) {
      DifferenceVertex<S>& v = work_.vertices[i];
      if constexpr (kAnyCurved)
        v = difference_.point(v.x1, X_moved * v.x2, v.a, v.b);
      else
        v = difference_.vertex(v.a, v.b);
    }
    memory_.X_polytope = difference_.pose();
    constexpr S kGap = kAnyCurved ? detail::kNewtonGap<S> : S(0);
    const EpaResult<S> epa = Epa<S, D>(difference_, work_, kGap, 2 * kMostVertices).resume();
    Witness<S> result = detail::from_polytope(difference_, epa, work_, kGap, 0);
    if (!(epa.depth > 0 && epa.depth <= epa.height + difference_.rounding())) {  // the origin is outside
      result.upper_bound = std::numeric_limits<S>::infinity();
    } else if constexpr (kAnyCurved) {
      detail::polish(difference_, result);
      detail::certify(difference_, work_, result);
      result.upper_bound +=
          static_cast<S>(++memory_.moves) * difference_.rounding();  // points of B that were moved
      if (!detail::certified(difference_, result)) result.upper_bound = std::numeric_limits<S>::infinity();
    }
    return result;
  }

  Witness<S> from_last_simplex() {
    work_.faces.size = 0;
    GjkResult<S> found;
    for (int k = 0; k < memory_.last.simplex_size; ++k) {
      found.simplex.vertex[k] = difference_.vertex(memory_.last.vertex_A[k], memory_.last.vertex_B[k]);
    }
    found.simplex.size = memory_.last.simplex_size;
    gjk_from(difference_, found, S(0));
    return found.overlap ? detail::overlapping(difference_, found, work_, S(0))
                         : detail::apart(found, difference_.rounding());
  }

  // Completes an answer about the cores; keeps it if its bounds meet.
  bool answered(Witness<S> result) {
    const S rounding = difference_.rounding();
    detail::finish(result, swept_radius<S>(A_), swept_radius<S>(B_), rounding,
                   detail::tolerance<kAnyCurved>(difference_, result.distance));
    if (result.status == Status::kNotConverged || !std::isfinite(result.distance)) return false;
    memory_.last = result;
    return true;
  }

  const ShapeA& A_;
  const ShapeB& B_;
  D difference_;
  SolverMemory<S>& memory_;
  Workspace<S>& work_;
};

template <class S, class ShapeA, class ShapeB>
bool answer_from_memory(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, SolverMemory<S>& memory) {
  return WarmQuery<S, ShapeA, ShapeB>(A, B, X_AB, memory).run();
}

// Two hulls in double precision: as separation().
template <>
bool answer_from_memory(const asset::ConvexView& A, const asset::ConvexView& B, const Pose<double>& X_AB,
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
    if (!usable(A_) || !usable(B_) || !X_AB.finite()) return detail::invalid_witness<S>();
    if constexpr (kHalfSpace<ShapeA> || kHalfSpace<ShapeB>) {
      return separation(A_, B_, X_AB, memory_.work);
    } else {
      if (detail::answer_from_memory<S>(A_, B_, X_AB, memory_)) return memory_.last;
      constexpr bool kAnyCurved = detail::WarmQuery<S, ShapeA, ShapeB>::kAnyCurved;
      const Vec3<S> guess = kAnyCurved ? memory_.last.n : Vec3<S>::Zero();
      memory_.forget();
      memory_.last = separation(A_, B_, X_AB, memory_.work, guess);
      // No polytope where the cores are apart.
      if (!(memory_.last.distance < -swept_radius<S>(A_) - swept_radius<S>(B_))) memory_.work.faces.size = 0;
      memory_.X_polytope = X_AB;
      return memory_.last;
    }
  }

  // The next query is a cold one.
  void forget() { memory_.forget(); }

 private:
  ShapeA A_;
  ShapeB B_;
  SolverMemory<S> memory_;
};

}  // namespace abut::witness
