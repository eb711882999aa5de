#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/body/primitive_distance.h"
#include "runtime/contact/soft_minimum.h"

// Lower bounds of the distance between two bodies in soft-minimum contact.
namespace abut::contact::internal {

// The balls around the points of two bodies, in A's frame: the pair seen from far away.
template <class S>
struct Balls {
  Vec3<S> c_B;     // B's centre, in B, m
  Vec3<S> offset;  // from A's centre to B's, in A, m
  S between;       // length of `offset`, m
  S radii;         // sum of both radii, m
  S gap;           // between the balls, or between a ball and a primitive, m; negative: they overlap

  Balls(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB)
      : c_B(center(B)), offset(X_AB * c_B - center(A)), radii(radius(A) + radius(B)) {
    between = offset.stableNorm();
    gap = endless(A) || endless(B) ? -std::numeric_limits<S>::infinity() : between - radii;
    if (A.exact != nullptr && !endless(B)) widen(*A.exact, X_AB * c_B, radius(B));
    if (B.exact != nullptr && !endless(A)) widen(*B.exact, X_AB.inverse() * center(A), radius(A));
  }
  S farthest() const { return between + radii; }  // upper bound of the distance of any two points, m

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

// Returns true if the rounding of squared distances up to that of `farthest` (m) changes the exponents of
// weights by little compared to kTooHeavy.
template <class S>
bool squares_tell(S farthest, S eps1) {
  return farthest <= S(0x1p28) * std::sqrt(eps1);
}

// Returns true if P's points are used in F's field: P has points, and is not a primitive too far from planes.
// eps1: of F, m^2.
template <class S>
bool points_count(const SoftBody& P, const SoftBody& F, S farthest, S eps1) {
  return P.points.point_count > 0 &&
         (P.exact == nullptr || F.exact != nullptr || squares_tell(farthest, eps1));
}

// Gap in eps3 beyond which a spring's force exp(-gap / eps3) underflows.
inline constexpr double kNoSpring = 745;

}  // namespace abut::contact::internal
