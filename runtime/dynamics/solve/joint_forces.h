#pragma once

#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/system/system_tree.h"

// What wrenches on bodies do to the joints that carry them, with derivatives.
namespace abut::dynamics {

// tau, (nv) N m and N, and its derivatives by the tangent of q and by v, (nv, nv).
struct JointForces {
  VecX<double> tau;
  MatX<double> dtau_dq, dtau_dv;

  void clear(Eigen::Index nv);
};

// One body: how its twist follows from the degrees of freedom that carry it, at its origin Bo in the world's
// axes.
struct BodySlopes {
  std::vector<int> dofs;                        // ascending
  Eigen::Matrix<double, 6, Eigen::Dynamic> J;   // V_WB_W = J v
  Eigen::Matrix<double, 6, Eigen::Dynamic> Vq;  // V_WB_W by the tangent of q, with v held
  // (6, dofs) twists of unit velocities in C (scratch.h), and Bo there, m.
  Eigen::Matrix<double, 6, Eigen::Dynamic> axes;
  Vec3<double> p_CB;
};

// After move_links.
void find_slopes(const SystemTree& tree, const TreeScratch& scratch, std::size_t body, BodySlopes& slopes);

// Adds the wrench (moment about Bo; force) on a body, in the world's axes and constant there; with its
// derivatives where they are wanted.
void add_wrench(const SystemTree& tree, const BodySlopes& on, const Vec6<double>& F_W, bool derivatives,
                JointForces& forces);

// Adds what a pair of bodies exert on one another. A is null for a fixed shape.
void add_pair(const SystemTree& tree, const PairForce& pair, const BodySlopes* A, const BodySlopes& B,
              bool derivatives, JointForces& forces);

}  // namespace abut::dynamics
