#pragma once

#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/system/system_tree.h"

// Generalised forces of wrenches on bodies at the joints that carry them, with derivatives.
namespace abut::dynamics {

// Generalised forces tau, (nv), N m and N, and their derivatives with respect to the tangent of q and to v,
// (nv, nv).
struct JointForces {
  VecX<double> tau;
  MatX<double> dtau_dq, dtau_dv;

  void clear(Eigen::Index nv);
};

// Kinematics of one body: how its twist, at its origin Bo in the world's axes, depends on the degrees of
// freedom that carry it.
struct BodySlopes {
  std::vector<int> dofs;                       // ascending
  Eigen::Matrix<double, 6, Eigen::Dynamic> J;  // V_WB_W = J v
  // Derivative of V_WB_W with respect to the tangent of q, v held.
  Eigen::Matrix<double, 6, Eigen::Dynamic> Vq;
  // (6, dofs) twists of unit velocities in the frame C of scratch.h, and the position of Bo there, m.
  Eigen::Matrix<double, 6, Eigen::Dynamic> axes;
  Vec3<double> p_CB;
};

// Fills the slopes of a body. Requires a preceding move_links.
void find_slopes(const SystemTree& tree, const TreeScratch& scratch, std::size_t body, BodySlopes& slopes);

// Adds to `forces` a wrench (moment about Bo; force) on a body, which is constant in the world's axes; with
// its derivatives if `derivatives`.
void add_wrench(const SystemTree& tree, const BodySlopes& on, const Vec6<double>& F_W, bool derivatives,
                JointForces& forces);

// Adds to `forces` the wrenches that a pair of bodies exert on one another. A is null for a fixed shape.
void add_pair(const SystemTree& tree, const PairForce& pair, const BodySlopes* A, const BodySlopes& B,
              bool derivatives, JointForces& forces);

}  // namespace abut::dynamics
