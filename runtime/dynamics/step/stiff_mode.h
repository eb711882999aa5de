#pragma once

#include "runtime/dynamics/tree/tree.h"

namespace abut::dynamics {

// One mode x of M dv/dt = -K dq - C v: x'' = -stiffness x - damping x'.
struct StiffMode {
  double stiffness = 0;  // 1/s^2
  double damping = 0;    // 1/s
};

// Returns the mode at which explicit steps of length dt (s) fail first, with K and C symmetric: that of the
// eigenvalue of M^-1 P, P = dt^2 K + 2 dt C, with the largest magnitude, by power iteration from `start`
// (from ones where that is zero or not finite). The magnitude |M^-1 P x| / |x| in the norm of M is
// approximated from below. Where forces drive the bodies apart the eigenvalue is negative; its mode is given
// with a positive stiffness, as a step for which that is too great cannot follow the growth. M, K, C are (n,
// n), M positive definite.
StiffMode stiffest_mode(const MatX<double>& M, const MatX<double>& K, const MatX<double>& C,
                        const VecX<double>& start, double dt);

// Returns the spectral radius, 1/s, of x' = y, M y' = -K x - C y with any K and C, by power iteration from
// (x, y) = (dt start, start); zero where that is not finite.
double greatest_rate(const MatX<double>& M, const MatX<double>& K, const MatX<double>& C,
                     const VecX<double>& start, double dt);

// Longest steps (s) at which the mode stays bounded; infinite where it has neither stiffness nor damping.
double longest_semi_implicit_step(const StiffMode& mode);
double longest_runge_kutta_step(const StiffMode& mode);

}  // namespace abut::dynamics
