#pragma once

#include "runtime/dynamics/tree/scratch.h"

// First derivatives of inverse and forward dynamics by the tangent of q (right perturbations of each joint,
// tree.h) and by v, in closed form [Carpentier2018; Singh2022]. S is double or long double.
namespace abut::dynamics {

// Computes [dtau/dq dtau/dv], (nv, 2 nv) in scratch.dtau_dx, and dtau/da = M in scratch.mass_matrix, in
// O(n depth).
template <class S>
const MatX<S>& inverse_dynamics_derivatives(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                            BasicTreeScratch<S>& scratch);

// Computes [da/dq da/dv] = -M^-1 [dtau/dq dtau/dv] at constant tau, (nv, 2 nv) in scratch.dacceleration_dx.
// Leaves a in scratch.acceleration, and M and its factor in scratch, so that solve_mass_matrix applies
// da/dtau = M^-1.
template <class S>
const MatX<S>& forward_dynamics_derivatives(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                            BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
