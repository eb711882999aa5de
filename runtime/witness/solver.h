#pragma once

#include "runtime/witness/separation.h"

namespace abut::witness {

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
  WitnessSolver(const ShapeA& A, const ShapeB& B) : A_(A), B_(B) { forget(); }

  // B posed by X_AB; everything in frame A, m. Allocates only for a pair harder than any before it. Never
  // throws.
  Witness<S> operator()(const Pose<S>& X_AB) {
    if (!usable(A_) || !usable(B_) || !X_AB.finite()) return detail::invalid_witness<S>();
    if constexpr (kHalfSpace<ShapeA> || kHalfSpace<ShapeB>) {
      return separation(A_, B_, X_AB, work_);
    } else {
      Difference<S, ShapeA, ShapeB> difference(A_, B_, X_AB);
      if (holds_polytope() && answered(difference, from_last_polytope(difference))) return last_;
      if constexpr (!kAnyCurved) {
        if (last_.simplex_size > 0 && answered(difference, from_last_simplex(difference))) return last_;
      }
      const Vec3<S> guess = kAnyCurved ? last_.n : Vec3<S>::Zero();
      forget();
      last_ = separation(A_, B_, X_AB, work_, guess);
      if (!(last_.distance < -core_gap())) work_.faces.size = 0;
      X_polytope_ = X_AB;
      return last_;
    }
  }

  // The next query is a cold one.
  void forget() {
    last_.simplex_size = 0;
    last_.n.setZero();
    work_.faces.size = 0;
    moves_ = 0;
  }

 private:
  static constexpr bool kAnyCurved = kCurved<ShapeA> || kCurved<ShapeB>;
  using D = Difference<S, ShapeA, ShapeB>;

  // Beyond this size moving the polytope costs more than making a new one.
  static constexpr std::int32_t kMostVertices = kAnyCurved ? 96 : 64;

  // A curved shape's points gather rounding as they are moved, a polytope's are read anew.
  static constexpr std::int32_t kMostMoves = 1000;

  bool holds_polytope() const {
    return work_.faces.size > 0 && work_.vertices.size <= kMostVertices && moves_ < kMostMoves;
  }

  // Distance of the shapes at which their cores touch.
  S core_gap() const { return swept_radius<S>(A_) + swept_radius<S>(B_); }

  Witness<S> from_last_polytope(D& difference) {
    const Pose<S> X_moved = difference.pose() * X_polytope_.inverse();
    for (std::int32_t i = 0; i < work_.vertices.size; ++i) {
      DifferenceVertex<S>& v = work_.vertices[i];
      if constexpr (kAnyCurved)
        v = difference.point(v.x1, X_moved * v.x2, v.a, v.b);
      else
        v = difference.vertex(v.a, v.b);
    }
    X_polytope_ = difference.pose();
    constexpr S kGap = kAnyCurved ? detail::kNewtonGap<S> : S(0);
    const EpaResult<S> epa = Epa<S, D>(difference, work_, kGap, 2 * kMostVertices).resume();
    Witness<S> result = detail::from_polytope(difference, epa, work_, kGap, 0);
    if (!(epa.depth > 0 && epa.depth <= epa.height + difference.rounding())) {  // the origin is outside
      result.upper_bound = std::numeric_limits<S>::infinity();
    } else if constexpr (kAnyCurved) {
      detail::polish(difference, result);
      result.upper_bound += static_cast<S>(++moves_) * difference.rounding();  // points of B that were moved
    }
    return result;
  }

  Witness<S> from_last_simplex(D& difference) {
    work_.faces.size = 0;
    GjkResult<S> found;
    for (int k = 0; k < last_.simplex_size; ++k) {
      found.simplex.vertex[k] = difference.vertex(last_.vertex_A[k], last_.vertex_B[k]);
    }
    found.simplex.size = last_.simplex_size;
    gjk_from(difference, found, S(0));
    return found.overlap ? detail::overlapping(difference, found, work_, S(0)) : detail::apart(found);
  }

  // Completes an answer about the cores; keeps it if its bounds meet.
  bool answered(D& difference, Witness<S> result) {
    const S rounding = difference.rounding();
    detail::finish(result, swept_radius<S>(A_), swept_radius<S>(B_), rounding,
                   detail::tolerance<kAnyCurved>(difference, result.distance));
    if (result.status == Status::kNotConverged || !std::isfinite(result.distance)) return false;
    last_ = result;
    return true;
  }

  ShapeA A_;
  ShapeB B_;
  Workspace<S> work_;
  Witness<S> last_;
  Pose<S> X_polytope_;      // at which the workspace's polytope is, where a core is curved
  std::int32_t moves_ = 0;  // how often that was moved since it was made
};

}  // namespace abut::witness
