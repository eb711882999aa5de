#pragma once

#include "runtime/dynamics/tree/scratch.h"

// First derivatives of inverse and forward dynamics in closed form, by the tangent of q (right perturbations
// of each joint, tree.h) and by v: [Carpentier2018; Singh2022]. S is double or long double.
namespace abut::dynamics {

// [dtau/dq dtau/dv], (nv, 2 nv) in scratch.dtau_dx, and dtau/da = M in scratch.mass_matrix; O(n depth).
template <class S>
const MatX<S>& inverse_dynamics_derivatives(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                            BasicTreeScratch<S>& scratch);

// [da/dq da/dv] = -M^-1 [dtau/dq dtau/dv], (nv, 2 nv) in scratch.dacceleration_dx, with tau held; a itself in
// scratch.acceleration, M and its factor (da/dtau = M^-1: solve_mass_matrix) in scratch.
template <class S>
const MatX<S>& forward_dynamics_derivatives(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                            BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
