#pragma once

#include "runtime/dynamics/tree/scratch.h"

// Where the links of a tree are, how they move, and how that follows from the joints. S is double or long
// double.
namespace abut::dynamics {

// Poses of the links at q, in scratch; all that only q decides.
template <class S>
void place_links(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch);
// Also twists for velocities v.
template <class S>
void move_links(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);
// Also accelerations for v and their rates a. Without gravity.
template <class S>
void move_links(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a, BasicTreeScratch<S>& scratch);

// After place_links.
template <class S>
Pose<S> pose_of_link(const BasicTreeScratch<S>& scratch, int link);  // X_WL
// After move_links: V_WL_L, the twist of link L at its origin in its axes.
template <class S>
Vec6<S> twist_of_link(const BasicTreeScratch<S>& scratch, int link);
// After move_links with rates: the rate of these components, rad/s^2 and m/s^2.
template <class S>
Vec6<S> acceleration_of_link(const BasicTreeScratch<S>& scratch, int link);

// After place_links. J_L, (6, nv) in scratch.jacobian: V_WL_L = J_L v.
template <class S>
const MatX<S>& body_jacobian(const Tree& tree, BasicTreeScratch<S>& scratch, int link);
// Jv_W, (3, nv) into J: velocity in W of the point Q fixed to the link at p_LQ, m.
template <class S>
void point_jacobian(const Tree& tree, const BasicTreeScratch<S>& scratch, int link,
                    const Vec3<std::type_identity_t<S>>& p_LQ, MatX<S>& J);

// J. Kinetic energy of the links and of the joints' armature.
template <class S>
S kinetic_energy(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);
// J, of gravity, zero at the world's origin.
template <class S>
S potential_energy(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch);

// (angular momentum about the world's origin, kg m^2/s; momentum, kg m/s) of the links, in W.
template <class S>
Vec6<S> spatial_momentum(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch);

}  // namespace abut::dynamics
