#pragma once

#include <vector>

#include "runtime/dynamics/tree/joint_groups.h"
#include "runtime/dynamics/tree/scratch.h"

// Momenta of the branches that joints to the world carry. The kinetic energy of a tree does not depend on the
// coordinates of such a joint, so that its generalised momentum p = M v, in the axes and about the origin of
// its link, changes only by forces and by its transport with the link. Applies to joints to the world of
// several degrees of freedom, called "rooted" here; the momentum of a joint of one is not transported.
//
// A step transports p = (n; f) such that the angular momentum about the branch's centre of mass is constant
// in the world's axes, n_next - r_next x f_next = R'(n - r x f), f_next = R'f, with the rotation R of the
// link in the step and the centre of mass r from the link's origin in its axes. So steps conserve both
// momenta at any step size, how fast a branch turns does not depend on how fast it moves, and a uniform field
// of gravity does not turn it. About a fixed point in the world the angular momentum is constant to the order
// of the step, in which the centre of mass goes straight on.
namespace abut::dynamics {

// The rooted joints of a tree.
class RootedJoints {
 public:
  explicit RootedJoints(const Tree& tree);

  const std::vector<int>& dofs() const { return dofs_; }  // of all rooted joints, ascending
  // Computes the branches' centres of mass, a column each, from the origins of their root links in their
  // axes, m, at the coordinates at which `scratch` holds the links' poses.
  void centres(const TreeScratch& scratch, Eigen::Matrix3Xd& r) const;

  // A transport of momenta over a step of h seconds in which euler_advance (euler.h) moves the links with
  // v_next, from centres r to r_next.
  struct Transport {
    const VecX<double>& v_next;
    double h;
    const Eigen::Matrix3Xd &r, &r_next;
  };
  // Transports the momenta p, (nv), in place.
  void carry(const Transport& transport, VecX<double>& p) const;
  struct Slopes {
    MatX<double> by_p, by_v_next;  // (nv, nv), block-diagonal with a block for each joint
    MatX<double> by_r, by_r_next;  // (nv, 3): a joint's rows by the centre of its branch
  };
  Slopes slopes(const Transport& transport, const VecX<double>& p) const;
  // Returns the slopes by the tangent of q, (nv, nv), given those by the centres at q and the mass matrix
  // there.
  MatX<double> by_place(const MatX<double>& by_centres, const MatX<double>& mass_matrix) const;

 private:
  struct Branch {
    int link, first;     // of the joint: its link, its first degree of freedom
    detail::Subspace S;  // rotations first
    double mass;         // kg
  };
  const Tree& tree_;
  std::vector<Branch> branches_;
  std::vector<int> branch_of_;  // of each link; -1: none
  std::vector<int> dofs_;
};

// Compute M v without the armatures' contribution, (nv), and its derivative by the tangent of q, (nv, nv).
VecX<double> generalised_momentum(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                  TreeScratch& scratch);
MatX<double> generalised_momentum_slope(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                        TreeScratch& scratch);

// Inertial and bias forces M a + b of a backward Euler step of h seconds from q, v. They are taken at the end
// of the step with a = backward_acceleration (euler.h); for rooted joints they are instead the change of
// momentum divided by h, minus the force of gravity.
class BackwardInertia {
 public:
  BackwardInertia(const Tree& tree, const VecX<double>& q, const VecX<double>& v, double h,
                  TreeScratch& scratch);

  VecX<double> force(const VecX<double>& q_next, const VecX<double>& v_next, TreeScratch& scratch) const;
  struct EndSlopes {
    MatX<double> by_q_next, by_v_next;  // (nv, nv), the other constant
  };
  EndSlopes end_slopes(const VecX<double>& q_next, const VecX<double>& v_next, TreeScratch& scratch) const;
  struct StartSlopes {
    MatX<double> by_q, by_v;  // (nv, nv)
  };
  StartSlopes start_slopes(const VecX<double>& q_next, const VecX<double>& v_next,
                           TreeScratch& scratch) const;

 private:
  // Slopes of the momentum carried to the next place, at which the scratch's kinematics are.
  RootedJoints::Slopes carried_slopes(const VecX<double>& v_next, const TreeScratch& scratch) const;

  const Tree& tree_;
  VecX<double> q_, v_;
  double h_;
  RootedJoints rooted_;
  VecX<double> armature_, p_;
  Eigen::Matrix3Xd r_;  // centres at q
};

// Velocity after a forward Euler step of h seconds from q, v with the acceleration a, in which euler_advance
// moves the links with the velocities v_way. It equals v_way except for rooted joints, whose velocities give
// the momenta p_next = carried(p + h f), where f is M a + b without gravity's part of b, the total force. The
// tree must outlive this object; a returned reference is valid until the next call.
class ForwardMomentum {
 public:
  explicit ForwardMomentum(const Tree& tree);

  struct Step {
    const VecX<double>&q, &v, &a;
    double h;  // s
    const VecX<double>&q_next, &v_way;
  };
  const VecX<double>& v_next(const Step& step, TreeScratch& scratch);

  // Derivatives of v_next, for the step of the last call of v_next().
  struct Slopes {
    MatX<double> by_q, by_v, by_a, by_q_next, by_v_way;  // (nv, nv), the others constant
    MatX<double> by_excess;                              // (nv, nv), minus the derivative by `excess`
  };
  Slopes slopes(const Step& step, TreeScratch& scratch);
  // Computes the residual p_next - carried(p + h f), (nv), of the last v_next() on `of`, a tree with the same
  // joints and other parameters. It is zero for joints that are not rooted, and for all joints where `of` is
  // this object's tree.
  const VecX<double>& excess(const Step& step, const Tree& of, TreeScratch& scratch);

 private:
  const VecX<double>& pushed(const Step& step, const Tree& of, TreeScratch& scratch);
  const VecX<double>& excess(const Step& step, const Tree& of, const RootedJoints& rooted,
                             TreeScratch& scratch);

  const Tree& tree_;
  RootedJoints rooted_;
  VecX<double> armature_, rest_;
  VecX<double> v_next_, push_, pushed_, carried_, excess_;
  Eigen::Matrix3Xd r_, r_next_;  // centres at q and at q_next
};

}  // namespace abut::dynamics
