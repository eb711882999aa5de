#pragma once

#include <limits>

#include "runtime/dynamics/step/freedom_groups.h"
#include "runtime/dynamics/step/motion_equations.h"
#include "runtime/dynamics/step/stiff_mode.h"

namespace abut::dynamics {

// What integrators in the coordinates of a system's tree share. They step q (nq) and v (nv) of all bodies.
class TreeIntegrator : public Integrator {
 public:
  const StepReport& step(State& state, const Control& control) override;
  const StepReport& step(State& state, const Control& control, StepDerivatives& derivatives) override;
  std::span<const PairContact> contacts() const override { return {}; }

 protected:
  // `stiction` as of CompliantContact.
  TreeIntegrator(const System& system, const StepConfig& config, const JointForceConfig& joints,
                 double stiction = std::numeric_limits<double>::quiet_NaN())
      : equations_(system, config, joints, stiction), dt_(config.dt) {}

  // What a step makes of tangents: columns of dq, dv by the independent (dq; dv) before it, and by the
  // inputs: forces on all degrees of freedom and the config's parameters; (nv, 2 ni + inputs()) each.
  struct Slopes {
    MatX<double> q, v;
  };
  // Moves q and v on by dt(); `slopes` are moved on where there are any. Fills report().
  virtual void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) = 0;

  // The longest step that is stable where `mode` acts, s; infinite for an integrator to which all are.
  virtual double longest_step(const StiffMode&) const { return std::numeric_limits<double>::infinity(); }
  // The same where small changes of the motion turn or grow by inertial forces, 1/s.
  virtual double longest_step(double /*inertial_rate*/) const {
    return std::numeric_limits<double>::infinity();
  }

  // The accelerations at q, v, a stage of the step, and, where `slopes` is given, their derivatives (nv, nv)
  // by the tangent of q, by v and by the inputs (nv, inputs()). Valid until the next call.
  struct ForwardSlopes {
    MatX<double> by_q, by_v, by_input;
  };
  const VecX<double>& accelerate(const VecX<double>& q, const VecX<double>& v, const Control& control,
                                 ForwardSlopes* slopes);

  // Takes the forces that were evaluated last for some that the step is made with: whether contacts were
  // looked for where they act, and what their model says of them.
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

  // Whether the step is too long: tree_stability.cpp.
  bool find_suspects();  // fills suspects_: bodies whose motion says that it may be; whether there are any
  std::vector<std::uint8_t> everything() const { return std::vector<std::uint8_t>(start_.bodies.size(), 1); }
  double stable_step(const std::vector<std::uint8_t>& suspects, const VecX<double>& change,
                     const Control& control);
  double inertial_rate(const std::vector<FreedomGroup>& groups, const VecX<double>& q, const VecX<double>& v,
                       const VecX<double>& change);

  MotionEquations equations_;
  double dt_;
  StepReport report_;
  bool covered_ = true;                // by the search for contacts, wherever the step was
  Status contact_ = Status::kOk;       // of all forces of the step: kNotConverged, kClamped or kOk
  std::vector<Vec6<double>> fastest_;  // of each body a twist as fast as it was anywhere in the step
  VecX<double> q_start_, v_start_, q_, v_;
  State start_, next_;                           // of the step, bodies on joints where these are
  std::vector<double> kinetic_start_, kinetic_;  // energies of each body in start_ and next_, J
  bool arrived_ = false;                         // next_ is the state at q_, v_, as the last step left it
  std::vector<std::uint8_t> suspects_;           // for each body, 0: none
  struct Stage {
    VecX<double> q, v;
  };
  std::vector<Stage> stages_;  // where the accelerations of the step were taken
  std::size_t stage_count_ = 0;
};

}  // namespace abut::dynamics
