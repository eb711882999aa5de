#pragma once

#include "runtime/dynamics/tree/scratch.h"

// Equations of motion M(q) a + b(q, v) = tau of a tree, by recursions over its links. Armature is part of M;
// damping, friction and limits are of whom acts on the joints. S is double or long double.
namespace abut::dynamics {

// tau, (nv) in scratch.tau: recursive Newton-Euler algorithm [Featherstone2008, Table 5.1], O(n).
template <class S>
const VecX<S>& inverse_dynamics(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                BasicTreeScratch<S>& scratch);
// b, (nv) in scratch.tau: Coriolis, centrifugal and gravity forces.
template <class S>
const VecX<S>& bias_force(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);

// M, (nv, nv) in scratch.mass_matrix: composite rigid bodies [Featherstone2008, Table 6.2], O(n depth).
template <class S>
const MatX<S>& mass_matrix(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch);

// M = L' D L of scratch.mass_matrix along the tree, in scratch.factor [Featherstone2008, Table 6.3].
template <class S>
void factor_mass_matrix(const Tree& tree, BasicTreeScratch<S>& scratch);
// x = M^-1 x in place, after factor_mass_matrix [Featherstone2008, Table 6.5].
template <class S>
void solve_mass_matrix(const Tree& tree, const BasicTreeScratch<S>& scratch, OutVec<S> x);

// a, (nv) in scratch.acceleration: articulated bodies [Featherstone2008, Table 7.1], O(n). NaN or infinite
// where M is singular: a joint that moves no inertia in this configuration.
template <class S>
const VecX<S>& forward_dynamics(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                BasicTreeScratch<S>& scratch);
// The same where move_links (kinematics.h) has left the links.
template <class S>
const VecX<S>& forward_dynamics(const Tree& tree, InVec<S> tau, BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
