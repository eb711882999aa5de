#pragma once

#include <vector>

#include "runtime/dynamics/tree/scratch.h"

// Momenta of the branches that joints to the world carry. The kinetic energy of a tree does not depend on the
// coordinates of such a joint, so that its generalised momentum p = M v, in the axes and about the origin of
// its link, changes only by forces and by its transport with the link. Steps that reproduce this conserve
// momentum where no force acts, at any step size. Applies to joints to the world of several degrees of
// freedom, called "rooted" here; the momentum of a joint of one is not transported.
namespace abut::dynamics {

// Returns the degrees of freedom of the rooted joints, ascending.
std::vector<int> rooted_dofs(const Tree& tree);

// Compute M v without the armatures' contribution, (nv), and its derivative by the tangent of q, (nv, nv).
VecX<double> generalised_momentum(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                  TreeScratch& scratch);
MatX<double> generalised_momentum_slope(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                        TreeScratch& scratch);

// Transports the momenta p, (nv), in place with the links, which euler_advance (euler.h) moves with v_next
// for h seconds.
void carry_momentum(const Tree& tree, const VecX<double>& v_next, double h, VecX<double>& p);
struct MomentumSlopes {
  MatX<double> by_p, by_v_next;  // (nv, nv), block-diagonal with a block for each joint
};
MomentumSlopes carried_momentum_slopes(const Tree& tree, const VecX<double>& p, const VecX<double>& v_next,
                                       double h);

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
  const Tree& tree_;
  VecX<double> q_, v_;
  double h_;
  std::vector<int> rooted_;
  VecX<double> armature_, p_;
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

  const Tree& tree_;
  std::vector<int> rooted_;
  VecX<double> armature_, rest_;
  VecX<double> v_next_, push_, pushed_, carried_, excess_;
};

}  // namespace abut::dynamics
