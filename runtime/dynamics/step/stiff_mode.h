#pragma once

#include "runtime/dynamics/tree/tree.h"

namespace abut::dynamics {

// One mode x of M dv/dt = -K dq - C v: x'' = -stiffness x - damping x'.
struct StiffMode {
  double stiffness = 0;  // x'K x / x'M x, 1/s^2
  double damping = 0;    // x'C x / x'M x, 1/s
};

// Returns the mode at which explicit steps of length dt (s) fail first, with K and C symmetric: that of the
// largest eigenvalue of M^-1 (dt^2 K + 2 dt C), by power iteration from `start` (from ones where that is zero
// or not finite). It approximates the eigenvalue from below, as Rayleigh's quotient is at most the
// eigenvalue. M, K, C are (n, n), M positive definite.
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
