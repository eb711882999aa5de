#pragma once

#include <vector>

#include "runtime/dynamics/solve/joint_forces.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/parameter_slopes.h"

// M(q) a + b(q, v) = tau(q, v) of a system in the coordinates of its tree, with the forces that act smoothly:
// of a contact model, of joints and of control.
namespace abut::dynamics {

// Forces of joints beyond those that a joint's own numbers say.
struct JointForceConfig {
  double limit_stiffness = 1e4;  // N m/rad or N/m: well beyond a limit
  double limit_width = 1e-3;     // rad or m: depth beyond a limit at which it has half that stiffness
  double stiction_speed = 1e-2;  // rad/s or m/s at which Coulomb friction of a joint is 0.7 of its value
};

class MotionEquations {
 public:
  // Throws as CompliantContact does, whose `stiction` is.
  MotionEquations(const System& system, const StepConfig& config, const JointForceConfig& joints,
                  double stiction = std::numeric_limits<double>::quiet_NaN());

  const SystemTree& coordinates() const { return tree_; }
  // Whoever asks for it may move the links elsewhere.
  TreeScratch& scratch() {
    moved_ = false;
    return scratch_;
  }

  // The state at q, v; other bodies and its impulses stay.
  void place(const VecX<double>& q, const VecX<double>& v, State& state) {
    move(q, v);
    tree_.fill(q, v, scratch_, state);
  }

  // Finds the pairs of bodies that may touch within dt (s) of the state. The search goes by the speeds of the
  // state, gravity and, where they are known, the twists (w; v) that bodies get; `covers` says whether what
  // was evaluated last kept within it.
  void find(const State& state, const Control& control, double dt,
            std::span<const Vec6<double>> twists_W = {});
  std::span<const BodyMotion> motions() const { return motions_; }  // where forces were evaluated last
  bool covers(double dt) const { return contact_.covers(motions_, dt); }
  Status contact_status() const { return contact_.status(); }  // where forces were evaluated last

  // Forces on the degrees of freedom at q, v, and their derivatives where they are wanted, else only those of
  // joints.
  const JointForces& forces(const VecX<double>& q, const VecX<double>& v, const Control& control,
                            bool derivatives);
  std::span<const PairForce> pairs() const { return contact_.pairs(); }  // that find() found
  // The same without friction, what is elastic and what is viscous, with derivatives; of the pairs that are
  // not wanted, what was evaluated last.
  const JointForces& forces_without_friction(const VecX<double>& q, const VecX<double>& v,
                                             const Control& control,
                                             std::span<const std::uint8_t> wanted_pairs);
  // Friction at rest, of contact and of joints, over `factor` times the speeds that settings say, in what is
  // evaluated next.
  void smooth_stiction(double factor);
  int contacts() const;  // pairs of shapes that touched where forces were evaluated last

  // The accelerations G a_i that `tau` brings about, mimicking joints obeyed.
  const VecX<double>& acceleration(const VecX<double>& q, const VecX<double>& v, const VecX<double>& tau);

  // (nv, parameters): tau - M a - b by the config's parameters, where forces(q, v) were evaluated last.
  const MatX<double>& parameter_slopes(const ParameterSlopes::Inertia& inertia) {
    return parameters_.evaluate(tree_, contact_, motions_, scratch(), inertia);
  }
  // The same of -inertia alone.
  const MatX<double>& inertia_slopes(const ParameterSlopes::Inertia& inertia) {
    return parameters_.evaluate(inertia);
  }
  Eigen::Index parameter_count() const { return parameters_.count(); }

  // Power of the control, drives and springs of joints included, where forces were evaluated last, at
  // velocities v, W.
  double control_power(const VecX<double>& v, const Control& control) const;

 private:
  // Moves the links to q, v, unless they are there.
  void move(const VecX<double>& q, const VecX<double>& v);
  void add_joint_forces(const VecX<double>& q, const VecX<double>& v, const Control& control);
  void add_limits(const Joint& joint, int at, double q);

  SystemTree tree_;
  JointForceConfig joints_;
  VecX<double> start_;  // coordinates of joints, as the scene starts them
  CompliantContact contact_;
  ParameterSlopes parameters_;
  TreeScratch scratch_;
  bool moved_ = false;  // the links of scratch_ stand and move as q_moved_, v_moved_ say
  VecX<double> q_moved_, v_moved_;
  std::vector<BodyMotion> motions_;
  std::vector<BodySlopes> slopes_;  // of each body that forces act on
  bool friction_ = true;            // of joints
  double smoothed_ = 1;             // factor of stiction speeds
  std::vector<std::uint8_t> wanted_, has_slopes_;
  JointForces forces_;
  VecX<double> drive_;                       // (nv) of forces_.tau, of drives and springs
  VecX<double> acceleration_, independent_;  // of all freedoms, and of those that mimic none
  MatX<double> MG_, GMG_;
  Eigen::LLT<MatX<double>> llt_;  // of GMG_
};

// The settings that the forces of joints add to an integrator's.
template <class Config>
constexpr Setting<Config> kJointForceSettings[] = {
    {"limit_stiffness", "N m/rad or N/m", kMagnitude, "of a joint well beyond its limit",
     setting<Config, &Config::joints, &JointForceConfig::limit_stiffness>},
    {"limit_width", "rad or m", kMagnitude, "beyond a joint's limit where it has half that stiffness",
     setting<Config, &Config::joints, &JointForceConfig::limit_width>},
    {"stiction_speed", "rad/s or m/s", kMagnitude, "of a joint whose Coulomb friction is 0.7 of its value",
     setting<Config, &Config::joints, &JointForceConfig::stiction_speed>},
};

}  // namespace abut::dynamics
