#pragma once

#include <algorithm>
#include <limits>

#include "runtime/body/body.h"
#include "runtime/body/primitive_distance.h"
#include "runtime/bvh/overlap.h"
#include "runtime/distance/depth_balance.h"
#include "runtime/proximity/feature_cone.h"
#include "runtime/witness/core.h"

// Building blocks of primitive_query.h: a primitive and a surface as a pair. Internal to proximity.
namespace abut::proximity::internal {

constexpr double kBeside = 1e-7;  // relative to the primitive's size: see Sides::beside
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();  // relative to the coordinates

// Support point of a primitive along n; of a half-space its origin.
inline Vec3<double> support(const body::Primitive& primitive, const Vec3<double>& n) {
  return std::visit(
      [&](const auto& shape) -> Vec3<double> {
        if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, body::HalfSpace<double>>)
          return Vec3<double>::Zero();
        else
          return witness::support<double>(shape, n).point;
      },
      primitive);
}

// A pair as a primitive P and a surface S.
struct Sides {
  const body::Primitive& primitive;
  const asset::SurfaceView& surface;
  bool primitive_is_A;
  Pose<double> X_PS, X_AP;
  double size_P;    // m: 0 for a half-space
  double size;      // m: of both bodies
  double rounding;  // m
  double beside;    // m: step from a kink of the primitive's distance to where that is smooth

  explicit Sides(const body::Pair& pair)
      : primitive(*(pair.A->geometry.primitive() != nullptr ? pair.A : pair.B)->geometry.primitive()),
        surface((pair.A->geometry.primitive() != nullptr ? pair.B : pair.A)->geometry.surface()),
        primitive_is_A(pair.A->geometry.primitive() != nullptr),
        X_PS(primitive_is_A ? pair.X_AB : pair.X_AB.inverse()),
        X_AP(primitive_is_A ? Pose<double>() : pair.X_AB) {
    const bvh::Ball ball = bvh::ball_of(surface.tree);
    Vec3<double> reach;  // support heights along the axes, m
    for (int k = 0; k < 3; ++k) reach[k] = support(primitive, Vec3<double>::Unit(k))[k];
    size_P = reach.norm();
    size = ball.radius + size_P;
    rounding = kRounding * (size + ball.center.norm() + X_PS.p.stableNorm());
    beside = std::max(kBeside * (size_P > 0 ? size_P : size), 16 * rounding);
  }

  // A vector of frame A in S.
  Vec3<double> in_S(const Vec3<double>& v_A) const { return X_PS.R.transpose() * (X_AP.R.transpose() * v_A); }
  double f(const Vec3<double>& p) const { return body::primitive_value<double>(primitive, p); }
};

// The directions, in P, in which a point on P's surface may move along it: perpendicular to all normals that
// P has there.
distance::FlatBasis flat_of_primitive(const Sides& sides, const Vec3<double>& p);

// The normal, in P and from P to S, where P and S touch at x; defined as for two surfaces (feature_cone.h).
// `tolerance` (m) is used to find the surface's feature.
TouchingNormal touching_normal(const Sides& sides, const Vec3<double>& x, const SurfacePoint& at_S,
                               double tolerance);

}  // namespace abut::proximity::internal
