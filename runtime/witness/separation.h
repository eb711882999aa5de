#pragma once

#include <limits>
#include <type_traits>

#include "runtime/witness/core.h"
#include "runtime/witness/polytope.h"
#include "runtime/witness/witness.h"

// Witness points and signed distance of two convex shapes (see witness.h for what the answer means): GJK
// where the cores are apart, the expanding polytope where they overlap. The answer's gap between its bounds
// is of the order of rounding, or at most 1e-12 of the pair's size where cores overlap of which one is
// curved; otherwise the status says so. Two polytopes are then tried once again in the next wider scalar.
namespace abut::witness {

namespace detail {

// Compiled once, for double and long double.
template <class S>
Witness<S> separate_cores(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                          const Vec3<S>& guess);

// Compiled for the processor's vectors (simd.h): the same bits as with cores. Where the signed distance is
// beyond `limit`, m, the search may end as soon as the answer's lower bound is; the rest of it then says
// nothing.
Witness<double> separate_hulls(const asset::ConvexView& A, const asset::ConvexView& B,
                               const Pose<double>& X_AB, Workspace<double>& workspace,
                               const Vec3<double>& guess,
                               double limit = std::numeric_limits<double>::infinity());

extern template Witness<double> separate_cores(const Core<double>&, const Core<double>&, const Pose<double>&,
                                               Workspace<double>&, const Vec3<double>&);
extern template Witness<long double> separate_cores(const Core<long double>&, const Core<long double>&,
                                                    const Pose<long double>&, Workspace<long double>&,
                                                    const Vec3<long double>&);

// Two hulls in double precision are searched as hulls, all other pairs as cores.
template <class S, class ShapeA, class ShapeB>
inline constexpr bool kTwoHulls = std::is_same_v<S, double>&& std::is_same_v<ShapeA, asset::ConvexView>&&
    std::is_same_v<ShapeB, asset::ConvexView>;

// Of the calling thread.
template <class S>
Workspace<S>& thread_workspace();

}  // namespace detail

// Witness points, unit normal and signed distance of A and B, B posed by X_AB; everything in frame A, m.
// `guess`, if not zero, is a direction from A to B to start from, such as the normal of a neighbouring pose.
// The workspace is scratch memory that only ever grows. Never throws; see Status in the result. S: double
// or long double.
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

// The same with a workspace of the calling thread.
template <class S, class ShapeA, class ShapeB>
Witness<S> separation(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB) {
  return separation(A, B, X_AB, detail::thread_workspace<S>());
}

}  // namespace abut::witness
