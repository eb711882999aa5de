#pragma once

#include "runtime/math/pose.h"

namespace abut::dynamics {

// Turns a free rigid body for `time` seconds: q_WB by its own spin, the angular momentum L_W (about the
// centre of mass, in the world's axes, kg m^2/s) held. `inertia`: principal moments, kg m^2.
//
// The midpoint rule for Euler's equations in body axes, P1 = P0 + t Pm x J Pm with Pm = (P0 + P1)/2 and
// J = I^-1, keeps both |P| and the energy P.J P/2; it turns P by the Cayley transform of t J Pm, so that
// turning the body by the same transform keeps R P = L. The implicit equation is solved by Newton's method.
inline void turn_freely(Eigen::Quaterniond& q_WB, const Vec3<double>& L_W, const Vec3<double>& inertia,
                        double time) {
  const Vec3<double> J = inertia.cwiseInverse();
  const Vec3<double> P0 = q_WB.conjugate() * L_W;
  Vec3<double> P = P0;  // at the middle
  const double scale = P0.norm();
  for (int k = 0; k < 20; ++k) {
    const Vec3<double> w = J.cwiseProduct(P);
    const Vec3<double> residual = P - P0 - time / 2 * P.cross(w);
    const Mat3<double> slope = Mat3<double>::Identity() - time / 2 * (skew(P) * J.asDiagonal() - skew(w));
    const Vec3<double> step = slope.inverse() * residual;
    P -= step;
    if (!(step.norm() > 1e-15 * scale)) break;
  }
  const Vec3<double> half = time / 2 * J.cwiseProduct(P);  // half the turn's tangent
  q_WB = (q_WB * Eigen::Quaterniond(1, half.x(), half.y(), half.z())).normalized();
}

}  // namespace abut::dynamics
