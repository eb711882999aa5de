#pragma once

#include <vector>

#include "runtime/dynamics/solve/joint_forces.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/parameter_slopes.h"

// The equations of motion M(q) a + b(q, v) = tau(q, v) of a system in the coordinates of its tree, with
// smooth forces of a contact model, joints and control.
namespace abut::dynamics {

// Parameters of joint forces that joints themselves do not specify.
struct JointForceConfig {
  double limit_stiffness = 1e4;  // stiffness well beyond a limit, N m/rad or N/m
  double limit_width = 1e-3;     // distance beyond a limit at which it has half that stiffness, rad or m
  // Speed at which a joint's Coulomb friction is 0.7 of its value, rad/s or m/s.
  double stiction_speed = 1e-2;
};

// Evaluates the equations of motion of a system, its forces and their derivatives; keeps working memory.
class MotionEquations {
 public:
  // `stiction` is that of CompliantContact. Throws as that does.
  MotionEquations(const System& system, const StepConfig& config, const JointForceConfig& joints,
                  double stiction = std::numeric_limits<double>::quiet_NaN());

  const SystemTree& coordinates() const { return tree_; }
  // The caller may move the links elsewhere.
  TreeScratch& scratch() {
    moved_ = false;
    return scratch_;
  }

  // Writes q, v and the bodies' places to the state; its other bodies and its impulses stay.
  void place(const VecX<double>& q, const VecX<double>& v, State& state) {
    move(q, v);
    tree_.fill(q, v, scratch_, state);
  }

  // Finds the pairs of bodies that may touch within dt (s) of the state. The search assumes the speeds of the
  // state, gravity and, if given, the twists (w; v) that bodies attain; `covers` returns whether the last
  // evaluated motions were within this.
  void find(const State& state, const Control& control, double dt,
            std::span<const Vec6<double>> twists_W = {});
  std::span<const BodyMotion> motions() const { return motions_; }  // where forces were evaluated last
  bool covers(double dt) const { return contact_.covers(motions_, dt); }
  Status contact_status() const { return contact_.status(); }  // where forces were evaluated last

  // Forces on the degrees of freedom at q, v, with their derivatives if `derivatives`, otherwise only with
  // those of the joints' own forces.
  const JointForces& forces(const VecX<double>& q, const VecX<double>& v, const Control& control,
                            bool derivatives);
  std::span<const PairForce> pairs() const { return contact_.pairs(); }  // those found by find()
  // The same without friction, so that contact and joints have elastic and viscous forces only; always with
  // derivatives. Pairs that are not wanted keep the forces evaluated last.
  const JointForces& forces_without_friction(const VecX<double>& q, const VecX<double>& v,
                                             const Control& control,
                                             std::span<const std::uint8_t> wanted_pairs);
  // Multiplies the stiction speeds of contact and joints by `factor` in the evaluations that follow.
  void smooth_stiction(double factor);
  int contacts() const;  // pairs of shapes that touched where forces were evaluated last

  // The accelerations G a_i that `tau` causes, with mimicking joints obeyed; a_i those of the independent
  // degrees of freedom.
  const VecX<double>& acceleration(const VecX<double>& q, const VecX<double>& v, const VecX<double>& tau);

  // (nv, parameters) derivative of tau - M a - b with respect to the config's parameters, where forces(q, v)
  // were evaluated last.
  const MatX<double>& parameter_slopes(const ParameterSlopes::Inertia& inertia) {
    return parameters_.evaluate(tree_, contact_, motions_, scratch(), inertia);
  }
  // The same of -`inertia` only.
  const MatX<double>& inertia_slopes(const ParameterSlopes::Inertia& inertia) {
    return parameters_.evaluate(inertia);
  }
  Eigen::Index parameter_count() const { return parameters_.count(); }

  // Power of the control, including drives and springs of joints, at velocities v where forces were evaluated
  // last, W.
  double control_power(const VecX<double>& v, const Control& control) const;

 private:
  // Moves the links to q, v unless they are there already.
  void move(const VecX<double>& q, const VecX<double>& v);
  void add_joint_forces(const VecX<double>& q, const VecX<double>& v, const Control& control);
  void add_limits(const Joint& joint, int at, double q);

  SystemTree tree_;
  JointForceConfig joints_;
  VecX<double> start_;  // initial coordinates of joints in the scene
  CompliantContact contact_;
  ParameterSlopes parameters_;
  TreeScratch scratch_;
  bool moved_ = false;  // whether the links of scratch_ are at q_moved_, v_moved_
  VecX<double> q_moved_, v_moved_;
  std::vector<BodyMotion> motions_;
  std::vector<BodySlopes> slopes_;  // of each body on which forces act
  bool friction_ = true;            // whether joints have friction
  double smoothed_ = 1;             // factor of the stiction speeds
  std::vector<std::uint8_t> wanted_, has_slopes_;
  JointForces forces_;
  VecX<double> drive_;                       // (nv) part of forces_.tau from drives and springs
  VecX<double> acceleration_, independent_;  // of all degrees of freedom, and of the independent ones
  MatX<double> MG_, GMG_;
  Eigen::LLT<MatX<double>> llt_;  // factors of GMG_
};

// Settings of the forces of joints, to include in an integrator's table.
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
