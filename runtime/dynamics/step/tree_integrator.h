#pragma once

#include <limits>

#include "runtime/dynamics/step/dof_groups.h"
#include "runtime/dynamics/step/motion_equations.h"
#include "runtime/dynamics/step/stiff_mode.h"

namespace abut::dynamics {

// Base of the integrators in the coordinates of a system's tree, which step q (nq) and v (nv) of all bodies.
class TreeIntegrator : public Integrator {
 public:
  const StepReport& step(State& state, const Control& control) override;
  const StepReport& step(State& state, const Control& control, StepDerivatives& derivatives) override;
  std::span<const PairContact> contacts() const override { return {}; }
  void contact_forces(std::vector<ContactForce>& forces) const override { forces = contact_forces_; }

 protected:
  // `stiction` is that of CompliantContact.
  TreeIntegrator(const System& system, const StepConfig& config, const JointForceConfig& joints,
                 double stiction = std::numeric_limits<double>::quiet_NaN())
      : equations_(system, config, joints, stiction), dt_(config.dt) {}

  // Derivatives of q and v: columns of dq, dv with respect to the independent (q; v) before the step and to
  // the inputs, which are forces on all degrees of freedom and the config's parameters; (nv, 2 ni + inputs())
  // each.
  struct Slopes {
    MatX<double> q, v;
  };
  // Advances q and v by dt(), and `slopes` with them if given. Fills report().
  virtual void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) = 0;

  // The longest step that is stable with `mode`, s; infinite for an integrator that is always stable.
  virtual double longest_step(const StiffMode&) const { return std::numeric_limits<double>::infinity(); }
  // The same where inertial forces make small changes of the motion rotate or grow at this rate, 1/s.
  virtual double longest_step(double /*inertial_rate*/) const {
    return std::numeric_limits<double>::infinity();
  }

  // Returns the accelerations at q, v, a stage of the step, and fills `slopes`, if given, with their
  // derivatives (nv, nv) with respect to the tangent of q, to v and to the inputs (nv, inputs()). Valid until
  // the next call.
  struct ForwardSlopes {
    MatX<double> by_q, by_v, by_input;
  };
  const VecX<double>& accelerate(const VecX<double>& q, const VecX<double>& v, const Control& control,
                                 ForwardSlopes* slopes);

  // Registers the forces evaluated last as used by the step: whether the search for contacts covered the
  // motion there, the status of the contact model, and the contact forces.
  void heed_contact();

  MotionEquations& equations() { return equations_; }
  const MotionEquations& equations() const { return equations_; }
  const Tree& tree() const { return equations_.coordinates().tree(); }
  double dt() const { return dt_; }
  Eigen::Index inputs() const { return tree().nv() + equations_.parameter_count(); }
  StepReport& report() { return report_; }

 private:
  const StepReport& step(State& state, const Control& control, Slopes* slopes);
  Slopes first_slopes() const;
  void find_kinetic_energies(const State& state, std::vector<double>& energies) const;

  // Whether the step is too long, see tree_stability.cpp.
  // Fills suspects_ with the bodies whose motion suggests it; returns whether there are any.
  bool find_suspects();
  std::vector<std::uint8_t> everything() const { return std::vector<std::uint8_t>(start_.bodies.size(), 1); }
  double stable_step(const std::vector<std::uint8_t>& suspects, const VecX<double>& change,
                     const Control& control);
  double inertial_rate(const std::vector<DofGroup>& groups, const VecX<double>& q, const VecX<double>& v,
                       const VecX<double>& change);

  MotionEquations equations_;
  double dt_;
  StepReport report_;
  bool covered_ = true;           // whether the search for contacts covered all stages of the step
  Status contact_ = Status::kOk;  // worst of all forces of the step: kNotConverged, kClamped or kOk
  std::vector<ContactForce> contact_forces_;  // those registered last
  std::vector<Vec6<double>> fastest_;         // for each body, a twist as fast as it was anywhere in the step
  VecX<double> q_start_, v_start_, q_, v_;
  State start_, next_;                           // of the step, with jointed bodies at their places
  std::vector<double> kinetic_start_, kinetic_;  // energy of each body in start_ and next_, J
  // Whether next_ is the state at q_, v_, as the last step left it.
  bool arrived_ = false;
  std::vector<std::uint8_t> suspects_;  // for each body; 0: not suspect
  struct Stage {
    VecX<double> q, v;
  };
  std::vector<Stage> stages_;  // where the step evaluated accelerations
  std::size_t stage_count_ = 0;
};

}  // namespace abut::dynamics
