#pragma once

#include "runtime/dynamics/tree/scratch.h"

// Equations of motion M(q) a + b(q, v) = tau of a tree, by recursions over its links. Armature is part of M;
// damping, friction and limits are left to whatever acts on the joints. S is double or long double.
namespace abut::dynamics {

// Computes tau, (nv) in scratch.tau, by the recursive Newton-Euler algorithm [Featherstone2008, Table 5.1],
// O(n).
template <class S>
const VecX<S>& inverse_dynamics(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                BasicTreeScratch<S>& scratch);
// Computes b, (nv) in scratch.tau: Coriolis, centrifugal and gravity forces.
template <class S>
const VecX<S>& bias_force(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);

// Computes M, (nv, nv) in scratch.mass_matrix, by the composite-rigid-body algorithm [Featherstone2008,
// Table 6.2], O(n depth).
template <class S>
const MatX<S>& mass_matrix(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch);

// Factors scratch.mass_matrix as M = L' D L along the tree, in scratch.factor [Featherstone2008, Table 6.3].
template <class S>
void factor_mass_matrix(const Tree& tree, BasicTreeScratch<S>& scratch);
// Replaces x, (nv), by M^-1 x [Featherstone2008, Table 6.5]. Needs factor_mass_matrix before.
template <class S>
void solve_mass_matrix(const Tree& tree, const BasicTreeScratch<S>& scratch, OutVec<S> x);

// Computes a, (nv) in scratch.acceleration, by the articulated-body algorithm [Featherstone2008, Table 7.1],
// O(n). The result is NaN or infinite where M is singular, that is where a joint moves no inertia in this
// configuration.
template <class S>
const VecX<S>& forward_dynamics(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                BasicTreeScratch<S>& scratch);
// Computes the same at the q and v of the last move_links (kinematics.h).
template <class S>
const VecX<S>& forward_dynamics(const Tree& tree, InVec<S> tau, BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
