#pragma once

#include <type_traits>

#include "runtime/witness/curved.h"

// Witness points and signed distance of two convex shapes (see witness.h for what the answer means): GJK
// where the cores are apart, the expanding polytope where they overlap. The answer's gap between its bounds
// is of the order of rounding, or at most 1e-12 of the pair's size where cores overlap of which one is
// curved; otherwise the status says so. Two polytopes are then tried once again in the next wider scalar.
namespace abut::witness {

namespace detail {

template <class S>
struct Wider {
  using type = S;
};
template <>
struct Wider<float> {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};

// Offset beyond which squares and their products may overflow, m.
template <class S>
S far_offset() {
  return std::ldexp(S(1), std::numeric_limits<S>::max_exponent / 3);
}

// Beside an offset as far as that the bodies are points as a rule, and the offset's direction is the normal.
// The bounds say whether they are.
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

// The witness of a half-space and a bounded core: its lowest point over the plane and that point's foot.
template <class S, class D>
Witness<S> over_plane(D& difference) {
  const Pose<S>& X_AB = difference.pose();
  Witness<S> result = invalid_witness<S>();
  Simplex<S> simplex;
  simplex.size = 1;
  simplex.weight[0] = 1;
  if constexpr (kHalfSpace<std::remove_cvref_t<decltype(difference.shape_a())>>) {
    result.n = Vec3<S>::UnitZ();
    const SupportPoint<S> low = core_support<S>(difference.shape_b(), Vec3<S>(-X_AB.R.row(2).transpose()));
    const Vec3<S> x2 = X_AB * low.point;
    result.distance = x2.z();
    simplex.vertex[0] = difference.point({x2.x(), x2.y(), 0}, x2, -1, low.index);
  } else {
    result.n = -X_AB.R.col(2);
    const SupportPoint<S> low = core_support<S>(difference.shape_a(), result.n);
    result.distance = result.n.dot(X_AB.p - low.point);
    simplex.vertex[0] = difference.point(low.point, low.point + result.distance * result.n, low.index, -1);
    difference.point(X_AB.p, X_AB.p, -1, -1);  // its size counts
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

// Adds the swept radii and the rounding error to an answer about the cores, and judges it.
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

// Gap of the bounds that a good answer about the cores may have: curved cores that overlap are bounded from
// above by a polytope inside them, everything else is exact to rounding.
template <bool curved, class D>
auto tolerance(const D& difference, decltype(difference.rounding()) distance) {
  using S = decltype(difference.rounding());
  return curved && distance < 0 ? 2 * kCertifiedGap<S> * difference.magnitude() : 64 * difference.rounding();
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

// The query of separation() below.
template <class S, class ShapeA, class ShapeB>
Witness<S> separate(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                    const Vec3<S>& guess);

// The same in the next wider scalar, judged by what is asked of this one.
template <class T, class S, class ShapeA, class ShapeB>
[[gnu::noinline, gnu::cold]] Witness<S> separate_wider(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB,
                                                       const Vec3<S>& start, S rounding, S tolerance) {
  thread_local Workspace<T> wide;
  const Witness<T> again = separate<T>(cast_shape<T>(A), cast_shape<T>(B), X_AB.template cast<T>(), wide,
                                       start.template cast<T>().eval());
  Witness<S> result = cast_witness<S>(again, rounding);
  if (again.status != Status::kInvalidInput) result.status = judge(result, rounding, tolerance);
  const bool numbers = std::isfinite(result.distance) && result.p1.allFinite() && result.p2.allFinite();
  return numbers ? result : invalid_witness<S>();
}

template <class S, class ShapeA, class ShapeB>
Witness<S> separate(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                    const Vec3<S>& guess) {
  if (!usable(A) || !usable(B) || !X_AB.finite()) return invalid_witness<S>();
  Difference<S, ShapeA, ShapeB> difference(A, B, X_AB);
  Vec3<S> start = guess.squaredNorm() > 0 && guess.allFinite() ? guess : X_AB.p;
  if (!(start.squaredNorm() > 0)) start = Vec3<S>::UnitX();
  constexpr bool kAnyPlane = kHalfSpace<ShapeA> || kHalfSpace<ShapeB>;
  constexpr bool kAnyCurved = kCurved<ShapeA> || kCurved<ShapeB>;
  static_assert(!kHalfSpace<ShapeA> || !kHalfSpace<ShapeB>, "two half-spaces have no witness points");
  Witness<S> result;
  if constexpr (kAnyPlane)
    result = over_plane<S>(difference);
  else if (largest_coordinate(X_AB.p) > far_offset<S>())
    result = far_apart<S>(difference);
  else if constexpr (kAnyCurved)
    result = solve_curved(difference, start, workspace);
  else
    result = solve_polytopes(difference, start, workspace);
  const S rounding = difference.rounding();
  const S enough = tolerance < kAnyCurved && !kAnyPlane > (difference, result.distance);
  finish(result, swept_radius<S>(A), swept_radius<S>(B), rounding, enough);
  using T = typename Wider<S>::type;
  if constexpr (!std::is_same_v<S, T> && !kAnyCurved && !kAnyPlane) {
    if (result.status == Status::kNotConverged) {
      return separate_wider<T, S>(A, B, X_AB, start, rounding, enough);
    }
  }
  return std::isfinite(result.distance) ? result : invalid_witness<S>();
}

}  // namespace detail

// Witness points, unit normal and signed distance of A and B, B posed by X_AB; everything in frame A, m.
// `guess`, if not zero, is a direction from A to B to start from, such as the normal of a neighbouring pose.
// The workspace is scratch memory that only ever grows. Never throws; see Status in the result.
template <class S, class ShapeA, class ShapeB>
Witness<S> separation(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                      const Vec3<S>& guess = Vec3<S>::Zero()) {
  return detail::separate<S>(A, B, X_AB, workspace, guess);
}

// Two hulls in double precision: compiled for the processor's vectors (simd.h), the same bits.
template <>
Witness<double> separation(const asset::ConvexView& A, const asset::ConvexView& B, const Pose<double>& X_AB,
                           Workspace<double>& workspace, const Vec3<double>& guess);

// The same with a workspace of the calling thread.
template <class S, class ShapeA, class ShapeB>
Witness<S> separation(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB) {
  thread_local Workspace<S> workspace;
  return separation(A, B, X_AB, workspace);
}

}  // namespace abut::witness
