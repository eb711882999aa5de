#pragma once

#include "runtime/math/pose.h"

namespace abut::dynamics {

namespace detail {

// P in the middle of a turn of `time` that begins with P0, both in the body's axes, J = I^-1:
// P - P0 - t/2 P x J P = 0, by Newton's method; and the equation's slope there.
struct TurnMiddle {
  Vec3<double> P;
  Mat3<double> slope;
};
inline TurnMiddle turn_middle(const Vec3<double>& P0, const Vec3<double>& J, double time) {
  Vec3<double> P = P0;
  const double scale = P0.norm();
  const auto slope_at = [&](const Vec3<double>& at) -> Mat3<double> {
    return Mat3<double>::Identity() -
           time / 2 * (skew(at) * J.asDiagonal() - skew<double>(J.cwiseProduct(at)));
  };
  for (int k = 0; k < 20; ++k) {
    const Vec3<double> w = J.cwiseProduct(P);
    const Vec3<double> residual = P - P0 - time / 2 * P.cross(w);
    const Vec3<double> step = slope_at(P).inverse() * residual;
    P -= step;
    if (!(step.norm() > 1e-15 * scale)) break;
  }
  return {P, slope_at(P)};
}

}  // namespace detail

// Turns a free rigid body for `time` seconds: q_WB by its own spin, the angular momentum L_W (about the
// centre of mass, in the world's axes, kg m^2/s) held. `inertia`: principal moments, kg m^2.
//
// The midpoint rule for Euler's equations in body axes, P1 = P0 + t Pm x J Pm with Pm = (P0 + P1)/2 and
// J = I^-1, keeps both |P| and the energy P.J P/2; it turns P by the Cayley transform of t J Pm, so that
// turning the body by the same transform keeps R P = L. The implicit equation is solved by Newton's method.
inline void turn_freely(Eigen::Quaterniond& q_WB, const Vec3<double>& L_W, const Vec3<double>& inertia,
                        double time) {
  const Vec3<double> J = inertia.cwiseInverse();
  const Vec3<double> P = detail::turn_middle(q_WB.conjugate() * L_W, J, time).P;
  const Vec3<double> half = time / 2 * J.cwiseProduct(P);  // half the turn's tangent
  q_WB = (q_WB * Eigen::Quaterniond(1, half.x(), half.y(), half.z())).normalized();
}

// How the turn of the body after turn_freely, a rotation vector in the world's axes, follows from the turn
// before it, from L_W and from the moments: (3, 3) each.
struct TurnSlopes {
  Mat3<double> by_turn, by_momentum, by_moments;
};
inline TurnSlopes turn_slopes(const Eigen::Quaterniond& q_WB, const Vec3<double>& L_W,
                              const Vec3<double>& inertia, double time) {
  const Vec3<double> J = inertia.cwiseInverse();
  const detail::TurnMiddle middle = detail::turn_middle(q_WB.conjugate() * L_W, J, time);
  const Vec3<double> half = time / 2 * J.cwiseProduct(middle.P);
  Eigen::Quaterniond q_end = q_WB;
  turn_freely(q_end, L_W, inertia, time);
  // The turn after, in the axes of its end, by half: 2/(1 + |half|^2) (I - [half]).
  const Mat3<double> by_half = 2 / (1 + half.squaredNorm()) * (Mat3<double>::Identity() - skew(half));
  const Mat3<double> by_half_W = q_end.toRotationMatrix() * by_half;
  const Mat3<double> by_P = by_half_W * (time / 2 * J).asDiagonal() * middle.slope.inverse();
  const Mat3<double> by_L = by_P * q_WB.conjugate().toRotationMatrix();
  const Mat3<double> w_by_moments = (-J.cwiseAbs2().cwiseProduct(middle.P)).asDiagonal();  // of J P
  return {Mat3<double>::Identity() + by_L * skew(L_W), by_L,
          time / 2 * (by_P * skew(middle.P) + by_half_W) * w_by_moments};
}

}  // namespace abut::dynamics
