#pragma once

#include "runtime/dynamics/tree/scratch.h"

// Poses, twists, accelerations and Jacobians of the links of a tree, and its energies and momentum. S is
// double or long double.
namespace abut::dynamics {

// Computes the poses of the links at q, (nq), and all else that depends only on q, in scratch.
template <class S>
void place_links(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch);
// Computes also the twists of the links for the velocities v, (nv).
template <class S>
void move_links(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);
// Computes also the accelerations of the links for v and its rates a, (nv), without gravity.
template <class S>
void move_links(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a, BasicTreeScratch<S>& scratch);

// Returns the pose of a link in the world. Needs place_links before.
template <class S>
Pose<S> pose_of_link(const BasicTreeScratch<S>& scratch, int link);  // X_WL
// Returns V_WL_L, the twist of a link L at its origin, in its axes. Needs move_links before.
template <class S>
Vec6<S> twist_of_link(const BasicTreeScratch<S>& scratch, int link);
// Returns the rate of the components of V_WL_L, rad/s^2 and m/s^2. Needs move_links with a before.
template <class S>
Vec6<S> acceleration_of_link(const BasicTreeScratch<S>& scratch, int link);

// Computes the body Jacobian J_L with V_WL_L = J_L v, (6, nv) in scratch.jacobian. Needs place_links before.
template <class S>
const MatX<S>& body_jacobian(const Tree& tree, BasicTreeScratch<S>& scratch, int link);
// Computes the Jacobian Jv_W, (3, nv), of the velocity in W of a point Q fixed to the link at p_LQ, m, into
// J. Needs place_links before.
template <class S>
void point_jacobian(const Tree& tree, const BasicTreeScratch<S>& scratch, int link,
                    const Vec3<std::type_identity_t<S>>& p_LQ, MatX<S>& J);

// Returns the kinetic energy, J, of the links and of the joints' armature.
template <class S>
S kinetic_energy(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);
// Returns the potential energy of gravity, J, which is zero at the world's origin.
template <class S>
S potential_energy(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch);

// Returns (angular momentum about the world's origin, kg m^2/s; linear momentum, kg m/s) of the links, in W.
template <class S>
Vec6<S> spatial_momentum(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
