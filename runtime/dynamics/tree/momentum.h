#pragma once

#include <vector>

#include "runtime/dynamics/tree/scratch.h"

// Momenta of what joints on the world carry. The kinetic energy of a tree does not depend on the coordinates
// of such a joint, so that its generalised momentum p = M v, taken in the axes and about the origin of its
// link, changes by forces and by moving along with the link alone. Steps that make it so keep the momenta of
// what nothing acts on, whatever their length. Of joints of several degrees of freedom, "rooted" here; those
// of one have momenta that do not move along.
namespace abut::dynamics {

std::vector<int> rooted_freedoms(const Tree& tree);  // ascending

// M v without the armatures' share, (nv), and its slope by the tangent of q, (nv, nv).
VecX<double> generalised_momentum(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                  TreeScratch& scratch);
MatX<double> generalised_momentum_slope(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                        TreeScratch& scratch);

// Makes momenta p (nv) what they become where euler_advance (euler.h) takes their links with v_next in h
// seconds.
void carry_momentum(const Tree& tree, const VecX<double>& v_next, double h, VecX<double>& p);
struct MomentumSlopes {
  MatX<double> by_p, by_v_next;  // (nv, nv), a block for each joint
};
MomentumSlopes carried_momentum_slopes(const Tree& tree, const VecX<double>& p, const VecX<double>& v_next,
                                       double h);

// M a + b of a backward Euler step from q, v (nv) in h seconds: at the end of the step, a
// backward_acceleration (euler.h); of rooted joints the momenta's change over h, less gravity.
class BackwardInertia {
 public:
  BackwardInertia(const Tree& tree, const VecX<double>& q, const VecX<double>& v, double h,
                  TreeScratch& scratch);

  VecX<double> force(const VecX<double>& q_next, const VecX<double>& v_next, TreeScratch& scratch) const;
  struct EndSlopes {
    MatX<double> by_q_next, by_v_next;  // (nv, nv), the other held
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

// v' of a forward Euler step from q, v with the acceleration a in h seconds, that takes links along by
// euler_advance with the velocities v_way: these, but of rooted joints those that give the momenta
// p' = carried(p + h f), f = M a + b without gravity's part of it, the force there. Of one tree, which must
// outlive it; what it returns is valid until the next call.
class ForwardMomentum {
 public:
  explicit ForwardMomentum(const Tree& tree);

  struct Step {
    const VecX<double>&q, &v, &a;
    double h;  // s
    const VecX<double>&q_next, &v_way;
  };
  const VecX<double>& v_next(const Step& step, TreeScratch& scratch);

  // Of v_next, of the step that it was asked for last.
  struct Slopes {
    MatX<double> by_q, by_v, by_a, by_q_next, by_v_way;  // (nv, nv), the others held
    MatX<double> by_excess;                              // (nv, nv): by `excess`, negative
  };
  Slopes slopes(const Step& step, TreeScratch& scratch);
  // p' less what it has to be, (nv), of a tree like this one; zero but for rooted joints, there zero of this
  // one.
  const VecX<double>& excess(const Step& step, const Tree& of, TreeScratch& scratch);

 private:
  const VecX<double>& pushed(const Step& step, const Tree& of, TreeScratch& scratch);

  const Tree& tree_;
  std::vector<int> rooted_;
  VecX<double> armature_, rest_;
  VecX<double> v_next_, push_, pushed_, carried_, excess_;
};

}  // namespace abut::dynamics
