#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/system/system_tree.h"
#include "runtime/dynamics/tree/joint_groups.h"

namespace abut::dynamics {

// Motion of jointed bodies through a step of midpoint.h, in the independent velocities v of their tree.
//
// Between impulses the tree moves freely (drift): no force acts, so that its kinetic energy is conserved. A
// tree that nothing holds, or that hangs on a planar joint on the world, also conserves its momenta and the
// straight path of its centre of mass (in the plane): its motion about the centre of mass does not depend on
// how fast that moves. Forces act as impulses on the velocities in the middle of the step (push): with q
// there, v before, v' after them and h the step,
//   (M + h D + h^2/2 K) v' = M v + h (tau - K (q - target)) + J' r,
// where D and K are the damping and stiffness of the joints, tau gravity and control, and r the impulses of
// contacts, limits and joint friction. Springs pull as they do at the end of the step, q + h v'/2: they and
// the damping remove energy, however stiff they are.
class TreeMotion {
 public:
  // Makes the tree of some bodies (ascending indices), one of moving_trees().
  TreeMotion(const System& system, std::vector<std::int32_t> bodies);

  const SystemTree& coordinates() const { return tree_; }
  bool moves() const { return independent_.cols() > 0; }
  std::int32_t first_body() const { return first_body_; }  // first body that the tree moves; -1: none
  bool carries(std::size_t link) const { return tree_.tree().last_dof(static_cast<int>(link)) >= 0; }

  // Takes over the tree's coordinates and velocities from a state.
  void read(const State& state);
  // Starts at coordinates q of the tree with independent velocities v. `held`: values for its next scales()
  // instead of their own.
  void start(const VecX<double>& q, const VecX<double>& v, std::span<const double> held = {});
  // Writes the tree's bodies and joints to a state.
  void write(State& state);
  // Moves freely for `time` seconds. Returns whether that has conserved the energy to a twentieth: not for
  // rotations by some radians.
  bool drift(double time);

  // Adds the tree to a contact problem, as its tree `index`, for a step of dt: the tree itself, limits and
  // friction of its joints, and its bodies, with the twists before the forces act.
  void push(const Control& control, double dt, std::int32_t index, ContactTree& problem,
            std::vector<JointRow>& rows, std::span<ContactBody> bodies);
  // Returns whether every limit that the velocities `after` the impulses would pass within dt has its row.
  bool covers_limits(const VecX<double>& after, double dt) const;
  // Lets the next push() reach limits as velocities `after` the impulses do, too.
  void reach_beyond(const VecX<double>& after) { fastest_ = fastest_.cwiseMax(after.cwiseAbs()); }
  const VecX<double>& place() const { return q_; }
  const VecX<double>& velocities() const { return v_; }
  // Work of joint forces, springs and drives, J.
  double control_work(const VecX<double>& after, double dt) const;

  // Moves on from the middle of the step with the velocities `after` the impulses, for half of dt. Gravity's
  // impulse in the middle may give too much energy, as the paths to and from there are not straight; the
  // excess is removed from the velocities, of a planar root from those of the joints, except of a floating
  // tree. Returns what drift returns.
  bool finish(const VecX<double>& after, double dt);

  // A factor on the velocities of the joints that takes an excess of their energy away:
  // sqrt(1 - excess / moving) within [0, most]; 1 where that is not finite.
  struct Scale {
    double excess, moving;  // J; moving: energy of the joints
    double most;
    double value = 1;
  };
  // Those of drift() and finish() since read() or start(), in their order. What drift() and finish() leave is
  // smooth in q, v, the impulses and the values of these, and so are the energies of each in the values of
  // those before it. The values scale velocities alone.
  std::span<const Scale> scales() const { return scales_; }

  // Moves by a tangent of the independent degrees of freedom. The velocities of the joints stay, and the
  // momenta of a tree whose momenta are conserved.
  void displace(const VecX<double>& tangent);

 private:
  using RootVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  using RootMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  // Motion as a whole of a tree whose momenta are conserved; L is the link of the root joint.
  struct Whole {
    Pose<double> X_WL;
    Vec3<double> p_LCom_W, v_WCom_W;  // position of the centre of mass from L, m, and its velocity, m/s
    Vec3<double> L_W;                 // angular momentum about the centre of mass, kg m^2/s
  };
  // The motion about the centre of mass, split into that of the tree with locked joints and that of the
  // joints: velocities of the root, and kinetic energies, J.
  struct Shares {
    RootVector whole, of_joints;
    double locked = 0, moving = 0;
  };

  void weigh();  // computes M_ at q_
  void accelerate(const VecX<double>& v);
  // Number of rotations among the root's degrees of freedom.
  Eigen::Index turns() const { return root_.cols() == 6 ? 3 : 1; }
  Whole take_way();
  void give_way(const Vec3<double>& v_WCom_W);
  void go_straight(const Whole& start, double time);
  Shares shares(const Vec3<double>& L_W);
  Vec3<double> centre_from_root() const;
  Vec3<double> from_root(std::size_t i) const;
  Vec3<double> from_base(std::size_t i) const;
  void keep_start();             // stores the bodies' positions in start_W_, and forgets the scales
  double scale_of(Scale scale);  // adds it to scales_ and returns its value
  // Rise of the potential energy since keep_start(), less a bound of the rounding of positions, J.
  double rise() const;
  void add_rows(std::int32_t index, double dt, const VecX<double>& free, std::vector<JointRow>& rows);
  // Calls visit(row, reach) for both limits of each joint of one degree of freedom, with the gap within which
  // push() has given them rows.
  template <class Visit>
  void for_limits(double dt, Visit&& visit) const;
  void add_forces(const Control& control);

  SystemTree tree_;
  MatX<double> independent_;  // G: maps independent velocities to all velocities
  std::vector<int> column_;   // for each degree of freedom, the column of its entry in G
  std::int32_t first_body_ = -1;
  detail::Subspace root_;             // twists of the root joint if momenta are conserved; else (6, 0)
  VecX<double> start_;                // initial coordinates of joints in the scene
  VecX<double> damping_, stiffness_;  // diagonals of D and K
  std::vector<Scale> scales_;
  std::vector<double> held_;
  TreeScratch scratch_;
  std::vector<TreeJacobian> J_W_;  // for each body, V_WB_W = J v
  MatX<double> M_, GM_;
  Eigen::LLT<MatX<double>> llt_;
  VecX<double> q_, v_, full_, bias_, acceleration_, middle_;
  VecX<double> fastest_;                           // for limits, of the step's pushes: greatest |v|
  VecX<double> q_start_;                           // at the start of drift()
  VecX<double> tau_gravity_, tau_control_, pull_;  // of gravity; of control; K (q - target)
  std::vector<int> root_of_;                       // of each link, the root of its branch
  std::vector<Vec3<double>> start_W_;              // from_base() at the start of the step, m
};

}  // namespace abut::dynamics
