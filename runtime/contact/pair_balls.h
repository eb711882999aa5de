#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/body/primitive_distance.h"
#include "runtime/contact/soft_minimum.h"

// How far apart two bodies in soft-minimum contact are at least.
namespace abut::contact::internal {

// The balls about the points of two bodies, seen from A: the far view of the pair.
template <class S>
struct Balls {
  Vec3<S> c_B;     // B's centre, in B, m
  Vec3<S> offset;  // from A's centre to B's, in A, m
  S between;       // its length
  S radii;         // of both balls together, m
  S gap;           // between the balls, or a ball and a primitive, m; negative: they overlap

  Balls(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB)
      : c_B(center(B)), offset(X_AB * c_B - center(A)), radii(radius(A) + radius(B)) {
    between = offset.stableNorm();
    gap = endless(A) || endless(B) ? -std::numeric_limits<S>::infinity() : between - radii;
    if (A.exact != nullptr && !endless(B)) widen(*A.exact, X_AB * c_B, radius(B));
    if (B.exact != nullptr && !endless(A)) widen(*B.exact, X_AB.inverse() * center(A), radius(A));
  }
  S farthest() const { return between + radii; }  // no two points are farther apart, m

 private:
  static bool endless(const SoftBody& body) { return body.points.point_count == 0; }
  static S radius(const SoftBody& body) { return S(body.points.blocks.radius); }
  static Vec3<S> center(const SoftBody& body) {
    const double* const c = body.points.blocks.center;
    return {S(c[0]), S(c[1]), S(c[2])};
  }
  void widen(const body::Primitive& primitive, const Vec3<S>& center, S radius) {
    gap = std::max(gap, body::primitive_value<S>(primitive, center) - radius);
  }
};

// Whether rounding of squared distances up to `farthest` (m) leaves the exponents of weights small beside
// kTooHeavy.
template <class S>
bool squares_tell(S farthest, S eps1) {
  return farthest <= S(0x1p28) * std::sqrt(eps1);
}

// Whether P's points count in F's field: it has some, and is no primitive that is too far from planes.
// eps1: of F, m^2.
template <class S>
bool points_count(const SoftBody& P, const SoftBody& F, S farthest, S eps1) {
  return P.points.point_count > 0 &&
         (P.exact == nullptr || F.exact != nullptr || squares_tell(farthest, eps1));
}

// Apart by this many eps3 a spring's force exp(-gap / eps3) is no number any more.
inline constexpr double kNoSpring = 745;

}  // namespace abut::contact::internal
