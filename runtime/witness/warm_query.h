#pragma once

#include "runtime/witness/separate.h"
#include "runtime/witness/solver.h"

// Implementation of WitnessSolver, for two hulls and for two cores (core.h).
namespace abut::witness::detail {

// A query that starts from the memory of the previous one.
template <class S, class Shape>
class WarmQuery {
 public:
  WarmQuery(const Shape& A, const Shape& B, const Pose<S>& X_AB, SolverMemory<S>& memory)
      : A_(A),
        B_(B),
        difference_(A, B, X_AB),
        any_curved_(curved(A) || curved(B)),
        memory_(memory),
        work_(memory.work) {}

  // Returns true if the memory then holds the result of this query; false if a cold query is needed.
  bool run() {
    if (holds_polytope() && answered(from_last_polytope())) return true;
    return !any_curved_ && memory_.last.simplex_size > 0 && answered(from_last_simplex());
  }

 private:
  using D = Difference<S, Shape>;

  // Beyond this size, moving the polytope costs more than making a new one.
  std::int32_t most_vertices() const { return any_curved_ ? 96 : 64; }

  // Limit of moves: points of curved shapes accumulate rounding as they are moved (vertices of polytopes are
  // read anew), by half of the gap that the bounds of a result may have (kCertifiedGap).
  static constexpr std::int32_t kMaxMoves = 30;

  bool holds_polytope() const {
    return work_.faces.size > 0 && work_.vertices.size <= most_vertices() && memory_.moves < kMaxMoves;
  }

  Witness<S> from_last_polytope() {
    const Pose<S> X_moved = difference_.pose() * memory_.X_polytope.inverse();
    for (std::int32_t i = 0; i < work_.vertices.size; ++i) {
      DifferenceVertex<S>& v = work_.vertices[i];
      v = any_curved_ ? difference_.point(v.x1, X_moved * v.x2, v.a, v.b) : difference_.vertex(v.a, v.b);
    }
    memory_.X_polytope = difference_.pose();
    const S gap = any_curved_ ? kNewtonGap<S> : S(0);
    const EpaResult<S> epa = Epa<S, D>(difference_, work_, gap, 2 * most_vertices()).resume();
    Witness<S> result = from_polytope(difference_, epa, work_, gap, 0);
    if (!(epa.depth > 0 && epa.depth <= epa.height + difference_.rounding())) {  // the origin is outside
      result.upper_bound = std::numeric_limits<S>::infinity();
    } else if (any_curved_) {
      close_bounds(result);
    }
    return result;
  }

  // Closes the bounds of a witness of curved cores, using the polytope that was moved.
  void close_bounds(Witness<S>& result) {
    if constexpr (kMayCurve<Shape>) {
      polish(difference_, result);
      certify(difference_, work_, result);
      result.upper_bound +=
          static_cast<S>(++memory_.moves) * difference_.rounding();  // rounding of the moved points of B
      if (!certified(difference_, result)) result.upper_bound = std::numeric_limits<S>::infinity();
    }
  }

  Witness<S> from_last_simplex() {
    work_.faces.size = 0;
    GjkResult<S> found;
    for (int k = 0; k < memory_.last.simplex_size; ++k) {
      found.simplex.vertex[k] = difference_.vertex(memory_.last.vertex_A[k], memory_.last.vertex_B[k]);
    }
    found.simplex.size = memory_.last.simplex_size;
    gjk_from(difference_, found, S(0), std::numeric_limits<S>::infinity());
    return found.overlap ? overlapping(difference_, found, work_, S(0))
                         : apart(found, difference_.rounding());
  }

  // Completes a witness of the cores; stores it in the memory if its bounds meet.
  bool answered(Witness<S> result) {
    const S rounding = difference_.rounding();
    finish(result, swept_radius<S>(A_), swept_radius<S>(B_), rounding,
           tolerance<S>(difference_, result.distance));
    if (result.status == Status::kNotConverged || !std::isfinite(result.distance)) return false;
    memory_.last = result;
    return true;
  }

  const Shape& A_;
  const Shape& B_;
  D difference_;
  bool any_curved_;
  SolverMemory<S>& memory_;
  Workspace<S>& work_;
};

template <class S, class Shape>
bool answer_from_memory(const Shape& A, const Shape& B, const Pose<S>& X_AB, SolverMemory<S>& memory) {
  return WarmQuery<S, Shape>(A, B, X_AB, memory).run();
}

// The point midway between the cores without their balls (midpoint.h), from a witness of the shapes.
template <class S>
Vec3<S> between(const Core<S>& A, const Core<S>& B, const Witness<S>& last) {
  const S inner_A = A.swept_radius() + ball_within(A), inner_B = B.swept_radius() + ball_within(B);
  return (last.p1 + last.p2 + (inner_B - inner_A) * last.n) / 2;
}

// Computes the witness by `warm` (answer_from_memory) if that succeeds, otherwise by `cold` (separate).
template <class S, class Shape, class Warm, class Cold>
Witness<S> answer_by(Warm&& warm, Cold&& cold, const Shape& A, const Shape& B, const Pose<S>& X_AB,
                     SolverMemory<S>& memory) {
  if (!usable(A) || !usable(B) || !X_AB.finite()) return invalid_witness<S>();
  if (plane(A) || plane(B)) return cold(A, B, X_AB, memory.work, Vec3<S>::Zero());
  if constexpr (kMayCurve<Shape>) {
    Witness<S> result;
    if (answer_in_closed_form(A, B, X_AB, result)) return result;
    const Witness<S>& last = memory.last;
    if (last.simplex_size > 0 && answer_apart(A, B, X_AB, between(A, B, last), last.n, result))
      return memory.last = result;
  }
  if (warm(A, B, X_AB, memory)) return memory.last;
  // Starting along the normal of an overlap, GJK would end at a flat tetrahedron, from which the polytope
  // grows slowly.
  const bool from_normal =
      (curved(A) || curved(B)) && memory.last.simplex_size > 0 && memory.last.distance > 0;
  const Vec3<S> guess = from_normal ? memory.last.n : Vec3<S>::Zero();
  memory.forget();
  memory.last = cold(A, B, X_AB, memory.work, guess);
  // There is no polytope if the cores are apart.
  if (!(memory.last.distance < -swept_radius<S>(A) - swept_radius<S>(B))) memory.work.faces.size = 0;
  memory.X_polytope = X_AB;
  return memory.last;
}

}  // namespace abut::witness::detail
