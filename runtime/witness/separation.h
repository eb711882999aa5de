#pragma once

#include <limits>
#include <type_traits>

#include "runtime/witness/core.h"
#include "runtime/witness/polytope.h"
#include "runtime/witness/witness.h"

// Witness points and signed distance of two convex shapes (witness.h defines the result): by GJK if the
// cores are apart, by the expanding polytope if they overlap. The gap between the result's bounds is of the
// order of rounding, or at most 1e-12 of the pair's size if cores overlap and one of them is curved;
// otherwise the status is kNotConverged. Two polytopes are then tried once more in the next wider scalar.
namespace abut::witness {

namespace detail {

// separation() of two cores. Instantiated for double and long double only.
template <class S>
Witness<S> separate_cores(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                          const Vec3<S>& guess);

// separation() of two hulls, compiled for the processor's vector instructions (simd.h); bit-identical to
// separate_cores(). Where the signed distance exceeds `limit` (m), the search may end as soon as the lower
// bound does; then only the lower bound and the normal along which it holds are valid.
Witness<double> separate_hulls(const asset::ConvexView& A, const asset::ConvexView& B,
                               const Pose<double>& X_AB, Workspace<double>& workspace,
                               const Vec3<double>& guess,
                               double limit = std::numeric_limits<double>::infinity());

extern template Witness<double> separate_cores(const Core<double>&, const Core<double>&, const Pose<double>&,
                                               Workspace<double>&, const Vec3<double>&);
extern template Witness<long double> separate_cores(const Core<long double>&, const Core<long double>&,
                                                    const Pose<long double>&, Workspace<long double>&,
                                                    const Vec3<long double>&);

// Whether a pair is two hulls in double precision: these are searched as hulls, all other pairs as cores.
template <class S, class ShapeA, class ShapeB>
inline constexpr bool kTwoHulls = std::is_same_v<S, double>&& std::is_same_v<ShapeA, asset::ConvexView>&&
    std::is_same_v<ShapeB, asset::ConvexView>;

// The workspace of the calling thread.
template <class S>
Workspace<S>& thread_workspace();

}  // namespace detail

// Computes witness points, unit normal and signed distance of A and B, with B posed by X_AB; everything in
// frame A, m. `guess`, if not zero, is a direction from A to B from which the search starts, such as the
// normal at a neighbouring pose. The workspace is scratch memory that only grows. Never throws: errors are
// reported by the result's status. S: double or long double.
template <class S, class ShapeA, class ShapeB>
Witness<S> separation(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                      const Vec3<S>& guess = Vec3<S>::Zero()) {
  static_assert(!detail::kHalfSpace<ShapeA> || !detail::kHalfSpace<ShapeB>,
                "two half-spaces have no witness points");
  if constexpr (detail::kTwoHulls<S, ShapeA, ShapeB>)
    return detail::separate_hulls(A, B, X_AB, workspace, guess);
  else
    return detail::separate_cores<S>(Core<S>(A), Core<S>(B), X_AB, workspace, guess);
}

// As above, with the workspace of the calling thread.
template <class S, class ShapeA, class ShapeB>
Witness<S> separation(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB) {
  return separation(A, B, X_AB, detail::thread_workspace<S>());
}

}  // namespace abut::witness
