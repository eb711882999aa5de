#pragma once

#include <cmath>
#include <optional>

#include "runtime/math/pose.h"

namespace abut::dynamics {

namespace detail {

// Midpoint P of a rotation of length `time` that starts with angular momentum P0, both in the body's axes,
// with J = I^-1: the solution of P - P0 - t/2 P x J P = 0 by Newton's method, and the derivative of the
// equation there.
struct TurnMiddle {
  Vec3<double> P;
  Mat3<double> slope;
  bool found;
};
inline TurnMiddle turn_middle(const Vec3<double>& P0, const Vec3<double>& J, double time) {
  constexpr double kFound = 1e-12;  // of the last Newton step, relative to |P0|
  Vec3<double> P = P0;
  const double scale = P0.norm();
  const auto slope_at = [&](const Vec3<double>& at) -> Mat3<double> {
    return Mat3<double>::Identity() -
           time / 2 * (skew(at) * J.asDiagonal() - skew<double>(J.cwiseProduct(at)));
  };
  Vec3<double> step = P0;
  for (int k = 0; k < 20; ++k) {
    const Vec3<double> w = J.cwiseProduct(P);
    const Vec3<double> residual = P - P0 - time / 2 * P.cross(w);
    step = slope_at(P).inverse() * residual;
    P -= step;
    if (!(step.norm() > 1e-15 * scale)) break;
  }
  return {P, slope_at(P), step.norm() <= kFound * scale};
}

// Returns the midpoint of a rotation that is computed in one part; `found` is false where it is not usable.
// Returns nothing where the rotation is to be divided into halves, up to 2^kMaxTurnHalvings parts: Newton's
// method may find no midpoint of a longer rotation, but does for each half. A rotation that would still be
// too long after all halvings is not divided at all.
inline std::optional<TurnMiddle> middle_at_once(const Vec3<double>& P0, const Vec3<double>& J, double time,
                                                int halvings) {
  constexpr int kMaxTurnHalvings = 12;
  constexpr double kShort = 2;  // rad
  const double turn = time * J.cwiseProduct(P0).norm();
  const bool is_short = turn <= kShort;
  const bool is_last =
      halvings == kMaxTurnHalvings || !(std::ldexp(turn, halvings - kMaxTurnHalvings) <= kShort);
  if (!is_short && !is_last) return {};
  TurnMiddle middle = turn_middle(P0, J, time);
  if (!middle.found && !is_last) return {};
  middle.found = middle.found && is_short;
  return middle;
}

}  // namespace detail

// Rotates a free rigid body for `time` seconds: turns q_WB by its own spin, with its angular momentum L_W
// (about the centre of mass, in the world's axes, kg m^2/s) held. `inertia`: principal moments, kg m^2.
//
// The midpoint rule for Euler's equations in body axes, P1 = P0 + t Pm x J Pm with Pm = (P0 + P1)/2 and J =
// I^-1, conserves both |P| and the energy P.J P/2; it rotates P by the Cayley transform of t J Pm, so that
// rotating the body by the same transform conserves R P = L. The implicit equation is solved by Newton's
// method, in halves of the time where the rotation is long. Returns whether all were solved.
inline bool turn_freely(Eigen::Quaterniond& q_WB, const Vec3<double>& L_W, const Vec3<double>& inertia,
                        double time, int halvings = 0) {
  const Vec3<double> J = inertia.cwiseInverse(), P0 = q_WB.conjugate() * L_W;
  if (const auto middle = detail::middle_at_once(P0, J, time, halvings)) {
    const Vec3<double> half = time / 2 * J.cwiseProduct(middle->P);  // half the turn's tangent
    q_WB = (q_WB * Eigen::Quaterniond(1, half.x(), half.y(), half.z())).normalized();
    return middle->found;
  }
  const bool first = turn_freely(q_WB, L_W, inertia, time / 2, halvings + 1);
  return turn_freely(q_WB, L_W, inertia, time / 2, halvings + 1) && first;
}

// Derivatives of the rotation of the body after turn_freely, as a rotation vector in the world's axes, with
// respect to the rotation before it, to L_W and to the principal moments: (3, 3) each.
struct TurnSlopes {
  Mat3<double> by_turn, by_momentum, by_moments;
};

namespace detail {

// Derivatives of a rotation that is computed in one part.
inline TurnSlopes turn_slopes(const Eigen::Quaterniond& q_WB, const Vec3<double>& L_W, const Vec3<double>& J,
                              double time, const TurnMiddle& middle) {
  const Vec3<double> half = time / 2 * J.cwiseProduct(middle.P);
  const Eigen::Quaterniond q_end = (q_WB * Eigen::Quaterniond(1, half.x(), half.y(), half.z())).normalized();
  // Derivative of the rotation after, in the axes of its end, with respect to half: 2/(1 + |half|^2) (I -
  // [half]).
  const Mat3<double> by_half = 2 / (1 + half.squaredNorm()) * (Mat3<double>::Identity() - skew(half));
  const Mat3<double> by_half_W = q_end.toRotationMatrix() * by_half;
  const Mat3<double> by_P = by_half_W * (time / 2 * J).asDiagonal() * middle.slope.inverse();
  const Mat3<double> by_L = by_P * q_WB.conjugate().toRotationMatrix();
  const Mat3<double> w_by_moments = (-J.cwiseAbs2().cwiseProduct(middle.P)).asDiagonal();  // of w = J P
  return {Mat3<double>::Identity() + by_L * skew(L_W), by_L,
          time / 2 * (by_P * skew(middle.P) + by_half_W) * w_by_moments};
}

}  // namespace detail

inline TurnSlopes turn_slopes(const Eigen::Quaterniond& q_WB, const Vec3<double>& L_W,
                              const Vec3<double>& inertia, double time, int halvings = 0) {
  const Vec3<double> J = inertia.cwiseInverse(), P0 = q_WB.conjugate() * L_W;
  if (const auto middle = detail::middle_at_once(P0, J, time, halvings))
    return detail::turn_slopes(q_WB, L_W, J, time, *middle);
  Eigen::Quaterniond q_between = q_WB;
  turn_freely(q_between, L_W, inertia, time / 2, halvings + 1);
  const TurnSlopes first = turn_slopes(q_WB, L_W, inertia, time / 2, halvings + 1),
                   second = turn_slopes(q_between, L_W, inertia, time / 2, halvings + 1);
  return {second.by_turn * first.by_turn, second.by_turn * first.by_momentum + second.by_momentum,
          second.by_turn * first.by_moments + second.by_moments};
}

}  // namespace abut::dynamics
