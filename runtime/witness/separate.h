#pragma once

#include <type_traits>

#include "runtime/witness/closed_form.h"
#include "runtime/witness/midpoint.h"
#include "runtime/witness/separation.h"
#include "runtime/witness/smooth_pair.h"
#include "runtime/witness/solve_curved.h"

// Implementation of separation(), for two hulls and for two cores (core.h).
namespace abut::witness::detail {

template <class S>
struct Wider {
  using type = S;
};
template <>
struct Wider<double> {
  using type = long double;
};

// Offset of the bodies beyond which squares and their products may overflow, m.
template <class S>
S far_offset() {
  return std::ldexp(S(1), std::numeric_limits<S>::max_exponent / 3);
}

// Witness of bodies with an offset beyond far_offset(). Relative to it they are usually points, and its
// direction is the normal; the bounds show whether this holds.
template <class S, class D>
[[gnu::noinline, gnu::cold]] Witness<S> far_apart(D& difference) {
  Witness<S> result = invalid_witness<S>();
  result.n = difference.pose().p.stableNormalized();
  Simplex<S> simplex;
  simplex.size = 1;
  simplex.weight[0] = 1;
  simplex.vertex[0] = difference.minimise(result.n);
  result.distance = result.lower_bound = result.n.dot(simplex.vertex[0].w);
  result.upper_bound = simplex.vertex[0].w.stableNorm();
  result.iterations = 1;
  place_points(simplex, result);
  return result;
}

// Witness of a half-space and a bounded core: the core's lowest point over the plane and its projection on
// the plane.
template <class S, class D>
Witness<S> over_plane(D& difference) {
  const Pose<S>& X_AB = difference.pose();
  Witness<S> result = invalid_witness<S>();
  Simplex<S> simplex;
  simplex.size = 1;
  simplex.weight[0] = 1;
  if (plane(difference.shape_a())) {
    result.n = Vec3<S>::UnitZ();
    const SupportPoint<S> low = core_support<S>(difference.shape_b(), Vec3<S>(-X_AB.R.row(2).transpose()));
    const Vec3<S> x2 = X_AB * low.point;
    result.distance = x2.z();
    simplex.vertex[0] = difference.point({x2.x(), x2.y(), 0}, x2, -1, low.index);
    difference.point(X_AB.p, low.point, -1, -1);  // x2 is their sum: records their magnitudes
  } else {
    result.n = -X_AB.R.col(2);
    const SupportPoint<S> low = core_support<S>(difference.shape_a(), result.n);
    result.distance = result.n.dot(X_AB.p - low.point);
    simplex.vertex[0] = difference.point(low.point, low.point + result.distance * result.n, low.index, -1);
    difference.point(X_AB.p, X_AB.p, -1, -1);  // records its magnitude
  }
  result.lower_bound = result.upper_bound = result.distance;
  result.iterations = 1;
  place_points(simplex, result);
  return result;
}

template <class S>
Status judge(const Witness<S>& result, S rounding, S tolerance) {
  if (!(result.upper_bound - result.lower_bound <= tolerance)) return Status::kNotConverged;
  return std::abs(result.distance) <= rounding ? Status::kTouching : Status::kOk;
}

// Adds the swept radii and the rounding error to a witness of the cores, and sets its status.
template <class S>
void finish(Witness<S>& result, S radius_A, S radius_B, S rounding, S tolerance) {
  result.p1 += radius_A * result.n;
  result.p2 -= radius_B * result.n;
  const S radius = radius_A + radius_B;
  result.distance -= radius;
  result.lower_bound -= radius + rounding;
  result.upper_bound += rounding - radius;
  result.status = judge(result, rounding, tolerance);
}

// Computes the witness of two cores in closed form. Returns false if there is none, or if it is not exact to
// rounding: segments that are parallel up to rounding, lengths whose squares overflow.
template <class S>
bool answer_in_closed_form(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, Witness<S>& result) {
  if (!has_closed_form(A, B) || largest_coordinate(X_AB.p) > far_offset<S>()) return false;
  const S rounding = rounding_of(A, B, X_AB);
  result = closed_form(A, B, X_AB);
  finish(result, A.swept_radius(), B.swept_radius(), rounding, 64 * rounding);
  return result.status != Status::kNotConverged && std::isfinite(result.distance);
}

// Computes the witness of two primitives, at least one of them curved, that are apart or, with an ellipsoid,
// overlap slightly (midpoint.h, smooth_pair.h). Starts from a point between them and a direction from A to
// B. Returns false for other pairs, and if the search does not converge.
template <class S>
bool answer_apart(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, const Vec3<S>& between,
                  const Vec3<S>& n, Witness<S>& result) {
  // Relative to the largest coordinate: the rounding of closer points would show in the normal.
  constexpr S kLeast = S(5e-3);
  if (!(curved(A) || curved(B)) || !has_midpoint(A, B) || largest_coordinate(X_AB.p) > far_offset<S>())
    return false;
  const S rounding = rounding_of(A, B, X_AB);
  const S least = kLeast * rounding / (16 * std::numeric_limits<S>::epsilon());
  if (!(smooth_pair(A, B) ? answer_by_normal(A, B, X_AB, n, rounding, result)
                          : answer_by_midpoint(A, B, X_AB, between, least, rounding, result)))
    return false;
  finish(result, A.swept_radius(), B.swept_radius(), rounding, 64 * rounding);
  return std::isfinite(result.distance);
}

// Gap of the bounds, m, up to which a witness of the cores has converged: overlapping curved cores are
// bounded from above by a polytope inside them, everything else is exact to rounding.
template <class S, class D>
S tolerance(const D& difference, S distance) {
  const bool any_curved = curved(difference.shape_a()) || curved(difference.shape_b());
  return any_curved && distance < 0 ? 2 * kCertifiedGap<S> * difference.magnitude()
                                    : 64 * difference.rounding();
}

template <class S, class T>
Witness<S> cast_witness(const Witness<T>& wide, S rounding) {
  Witness<S> result = invalid_witness<S>();
  result.p1 = wide.p1.template cast<S>();
  result.p2 = wide.p2.template cast<S>();
  result.n = wide.n.template cast<S>();
  result.distance = static_cast<S>(wide.distance);
  result.lower_bound = static_cast<S>(wide.lower_bound) - rounding;
  result.upper_bound = static_cast<S>(wide.upper_bound) + rounding;
  result.iterations = wide.iterations;
  result.status = wide.status;
  result.simplex_size = wide.simplex_size;
  for (int k = 0; k < 3; ++k) {
    result.vertex_A[k] = wide.vertex_A[k];
    result.vertex_B[k] = wide.vertex_B[k];
    result.weight[k] = static_cast<S>(wide.weight[k]);
  }
  return result;
}

// Repeats the query in the next wider scalar; the status is by the tolerance of the original scalar.
template <class T, class S>
[[gnu::noinline, gnu::cold]] Witness<S> separate_wider(const Core<T>& A, const Core<T>& B,
                                                       const Pose<S>& X_AB, const Vec3<S>& start, S rounding,
                                                       S tolerance) {
  const Witness<T> again = separate_cores<T>(A, B, X_AB.template cast<T>(), thread_workspace<T>(),
                                             start.template cast<T>().eval());
  Witness<S> result = cast_witness<S>(again, rounding);
  if (again.status != Status::kInvalidInput) result.status = judge(result, rounding, tolerance);
  const bool numbers = std::isfinite(result.distance) && result.p1.allFinite() && result.p2.allFinite();
  return numbers ? result : invalid_witness<S>();
}

// Converts the shape to a core in another scalar.
template <class T, class S>
Core<T> wider_core(const Core<S>& core) {
  return core.template cast<T>();
}
template <class T>
Core<T> wider_core(const asset::ConvexView& hull) {
  return Core<T>(hull);
}

// Computes the signed distance of the cores by the case: a half-space and a bounded core, bodies far apart,
// curved cores, two polytopes.
template <class S, class D>
Witness<S> solve(D& difference, const Vec3<S>& start, Workspace<S>& workspace, S limit) {
  if constexpr (kMayCurve<typename D::Shape>) {
    if (plane(difference.shape_a()) || plane(difference.shape_b())) return over_plane<S>(difference);
  }
  if (largest_coordinate(difference.pose().p) > far_offset<S>()) return far_apart<S>(difference);
  if constexpr (kMayCurve<typename D::Shape>) {
    if (curved(difference.shape_a()) || curved(difference.shape_b()))
      return solve_curved(difference, start, workspace);
  }
  return solve_polytopes(difference, start, workspace, limit);
}

// The query of separation(). For hulls farther apart than `limit` (m) only the lower bound
// and the normal along which it holds may be valid.
template <class S, class Shape>
Witness<S> separate(const Shape& A, const Shape& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                    const Vec3<S>& guess, S limit = std::numeric_limits<S>::infinity()) {
  if (!usable(A) || !usable(B) || (plane(A) && plane(B)) || !X_AB.finite()) return invalid_witness<S>();
  if constexpr (kMayCurve<Shape>) {
    Witness<S> result;
    if (answer_in_closed_form(A, B, X_AB, result)) return result;
    if (answer_apart(A, B, X_AB, between(A, B, X_AB), X_AB.p, result)) return result;
  }
  Difference<S, Shape> difference(A, B, X_AB);
  Vec3<S> start = guess.squaredNorm() > 0 && guess.allFinite() ? guess : X_AB.p;
  if (!(start.squaredNorm() > 0)) start = Vec3<S>::UnitX();
  Witness<S> result = solve(difference, start, workspace, limit);
  const S rounding = difference.rounding(), enough = tolerance<S>(difference, result.distance);
  finish(result, swept_radius<S>(A), swept_radius<S>(B), rounding, enough);
  if (result.lower_bound > limit) return result;
  using T = typename Wider<S>::type;
  if constexpr (!std::is_same_v<S, T>) {
    if (result.status == Status::kNotConverged && !curved(A) && !curved(B) && !plane(A) && !plane(B))
      return separate_wider<T, S>(wider_core<T>(A), wider_core<T>(B), X_AB, start, rounding, enough);
  }
  // For shapes so large that squares overflow, the distance may be finite and the points not.
  const bool numbers = std::isfinite(result.distance) && result.p1.allFinite() && result.p2.allFinite();
  return numbers ? result : invalid_witness<S>();
}

}  // namespace abut::witness::detail
