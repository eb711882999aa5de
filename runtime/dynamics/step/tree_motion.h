#pragma once

#include <vector>

#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/system/system_tree.h"
#include "runtime/dynamics/tree/joint_groups.h"

namespace abut::dynamics {

// Bodies that joints connect, through a step of midpoint.h, in the independent velocities v of their tree.
//
// Between impulses the tree moves freely (drift): no force acts, so its kinetic energy stays as it is. Of
// what hangs on nothing, or on a planar joint on the world, so do the momenta and the way of the centre of
// mass, in the plane: what it does about its centre of mass does not depend on how fast that goes. Forces act
// as impulses on velocities in the middle of the step (push): with q there, v before, v' after them and h the
// step,
//   (M + h D + h^2/2 K) v' = M v + h (tau - K (q - target)) + J' r,
// D and K damping and stiffness of the joints, tau gravity and control, r the impulses of contacts, limits
// and the friction of joints. Springs pull as they do at the end of the step, q + h v'/2: they and the
// damping take energy, however stiff they are.
class TreeMotion {
 public:
  // Of some bodies (ascending), one of moving_trees().
  TreeMotion(const System& system, std::vector<std::int32_t> bodies);

  const SystemTree& coordinates() const { return tree_; }
  bool moves() const { return independent_.cols() > 0; }
  std::int32_t first_body() const { return first_body_; }  // that the tree moves; -1: none
  bool carries(std::size_t link) const { return tree_.tree().last_dof(static_cast<int>(link)) >= 0; }

  void read(const State& state);
  // At coordinates q of the tree, with independent velocities v.
  void start(const VecX<double>& q, const VecX<double>& v);
  void write(State& state);
  // Moves freely for some seconds. Returns whether that has kept the energy, to a twentieth of it: not in
  // turns of some radians.
  bool drift(double time);

  // The problem of the impulses, as tree `index` of it, in a step of dt: of the tree, of its joints, and of
  // its bodies, whose twists are those before the forces act.
  void push(const Control& control, double dt, std::int32_t index, ContactTree& problem,
            std::vector<JointRow>& rows, std::span<ContactBody> bodies);
  const VecX<double>& place() const { return q_; }
  const VecX<double>& velocities() const { return v_; }
  double control_work(const VecX<double>& after, double dt) const;  // of joint forces, springs and drives, J

  // Moves on from the middle with the velocities after the impulses, for half of dt. What gravity's impulse
  // in the middle gave too much, as the way to there and from there is not straight, is taken from the
  // velocities of a tree that hangs on the world. Returns what drift does.
  bool finish(const VecX<double>& after, double dt);

  // By a tangent of the independent degrees of freedom.
  void displace(const VecX<double>& tangent);

 private:
  using RootVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  using RootMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  // Of a tree whose momenta stay, along the root joint, L its link.
  struct Whole {
    Pose<double> X_WL;
    Vec3<double> p_LCom_W, v_WCom_W;  // to the centre of mass, m, and its velocity, m/s
    Vec3<double> L_W;                 // angular momentum about it, kg m^2/s
  };
  // Of the motion about the centre of mass, by what the whole tree does locked and what the joints do: of the
  // root's velocities, and of the kinetic energy, J.
  struct Shares {
    RootVector whole, of_joints;
    double locked = 0, moving = 0;
  };

  void weigh();  // M_ at q_
  void accelerate(const VecX<double>& v);
  Eigen::Index turns() const { return root_.cols() == 6 ? 3 : 1; }  // of the root's degrees of freedom
  Whole take_way();
  void give_way(const Vec3<double>& v_WCom_W);
  void go_straight(const Whole& start, double time);
  Shares shares(const Vec3<double>& L_W);
  Vec3<double> centre_from_root() const;
  Vec3<double> from_root(std::size_t i) const;
  void keep_start();  // of the bodies' places
  // Of the potential energy since then, less what rounding of the places may make of it, J.
  double rise() const;
  void add_rows(std::int32_t index, double dt, const VecX<double>& free, std::vector<JointRow>& rows) const;
  void add_forces(const Control& control);

  SystemTree tree_;
  MatX<double> independent_;  // G: all velocities by the independent ones
  std::vector<int> column_;   // of each degree of freedom: where its row of G has its entry
  std::int32_t first_body_ = -1;
  detail::Subspace root_;             // twists of the joint whose momenta stay; none: (6, 0)
  VecX<double> start_;                // coordinates of joints, as the scene starts them
  VecX<double> damping_, stiffness_;  // diagonals of D and K
  TreeScratch scratch_;
  std::vector<TreeJacobian> J_W_;  // of each body, V_WB_W = J v
  MatX<double> M_, GM_;
  Eigen::LLT<MatX<double>> llt_;
  VecX<double> q_, v_, full_, bias_, acceleration_, middle_;
  VecX<double> q_start_;                           // where drift() starts
  VecX<double> tau_gravity_, tau_control_, pull_;  // of gravity; of control; K (q - target)
  std::vector<Vec3<double>> start_W_;              // centres of mass at the start of the step, m
};

}  // namespace abut::dynamics
