#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/system_tree.h"

// Rollouts over many steps of a system with joints, and their derivatives, for planning and identification.
//
//   dynamics::Rollout rollout(system, {.dt = 8e-3, .integrator = "implicit"}, 10);
//   const std::span<const State> way = rollout.run(start, controls);          // a state for each row
//   MatX<double> costates = ...;                                              // dcost / dx of each
//   const RolloutGradient slope = rollout.gradient(costates);                 // dcost / dcontrols
namespace abut::dynamics {

// Joint forces and targets over time. Each row acts for the same number of steps. Both matrices have the same
// number of rows, unless one of them has none.
struct ControlSequence {
  MatX<double> joint_force;   // (rows, nv of State::v), N m or N; without rows: no forces
  MatX<double> joint_target;  // (rows, nq of State::q), rad or m; without rows: the scene's initial positions

  // Number of rows of the matrices that have any.
  Eigen::Index rows() const { return std::max(joint_force.rows(), joint_target.rows()); }
};

// Derivatives of a state x after some row by the rollout's inputs. x are the 2 ni coordinates of
// StepDerivatives. Columns by controls are ordered by the rows of the sequence.
struct RolloutJacobian {
  MatX<double> start;         // (2 ni, 2 ni): by x of the start
  MatX<double> joint_force;   // (2 ni, rows nv)
  MatX<double> joint_target;  // (2 ni, rows nq); zero where a joint has no stiffness
  MatX<double> parameter;     // (2 ni, parameters of the config)
  int kinks = 0;              // number of steps so far whose StepDerivatives::status is not kOk
};

// Gradient of a scalar cost by the rollout's inputs.
struct RolloutGradient {
  VecX<double> start;         // (2 ni)
  MatX<double> joint_force;   // (rows, nv)
  MatX<double> joint_target;  // (rows, nq)
  VecX<double> parameter;     // (parameters)
  int kinks = 0;              // as RolloutJacobian
};

// The end of a rollout.
struct RolloutEnd {
  State state;            // after the last row
  std::string error;      // empty, or the message of a step that threw; `state` is then the one before it
  int not_converged = 0;  // number of unreliable steps: StepReport::status() is kNotConverged
};

// Runs a system for many steps under a sequence of controls, and differentiates the result. Use one per
// thread.
class Rollout {
 public:
  // Throws InvalidInput as make_integrator does, for an integrator or contact solver without derivatives, and
  // for less than one step per row.
  Rollout(const System& system, const StepConfig& config, int steps_per_control);

  // Sets what run, gradient and differentiate call before each step; what it throws ends them, so that a user
  // can end long ones.
  void before_each_step(std::function<void()> call) { before_each_step_ = std::move(call); }

  const SystemTree& coordinates() const { return tree_; }  // the tree that defines the coordinates x
  int steps_per_control() const { return steps_; }         // time steps per row of controls

  // Returns the states after each row, valid until the next call. They are reliable where not_converged() is
  // 0. Throws InvalidInput for controls that do not fit, and as Integrator::step does.
  std::span<const State> run(const State& start, const ControlSequence& controls);

  // Number of unreliable steps of the last run(), whose StepReport::status() is kNotConverged.
  int not_converged() const { return not_converged_; }

  // Returns only the last state, for candidates whose steps may fail. Throws InvalidInput for controls that
  // do not fit and an invalid start.
  RolloutEnd end(const State& start, const ControlSequence& controls);

  // Returns the gradient of sum_k costates.row(k) dx_k, where x_k is the state after row k of the last run
  // and `costates` is (rows, 2 ni). Goes backwards over the rows and repeats each from the state before it,
  // so that memory grows with the number of rows plus that of steps per row. Throws std::logic_error without
  // a completed run, and InvalidInput where the sizes do not fit or the gradient overflows. Steps whose own
  // derivatives are not finite give NaN, and are among its `kinks`.
  RolloutGradient gradient(const MatX<double>& costates);

  // Returns the same for any run of this system and config, given its states after each row.
  RolloutGradient gradient(const State& start, const ControlSequence& controls, std::span<const State> states,
                           const MatX<double>& costates);

  // Called after row k with k, the state x_k there and its derivatives.
  using Visit = std::function<void(Eigen::Index, const State&, const RolloutJacobian&)>;
  // Runs with derivatives and calls `visit` after every row. Propagates all columns forwards at once. Throws
  // as run() does, and InvalidInput where the derivatives overflow.
  void differentiate(const State& start, const ControlSequence& controls, const Visit& visit);

 private:
  void require_valid(const ControlSequence& controls) const;
  Control control_of(const ControlSequence& controls, Eigen::Index row) const;
  // Convert derivatives by forces on all degrees of freedom of the tree to those by the joints' forces
  // (State::v) and targets (State::q).
  MatX<double> by_joint_forces(const MatX<double>& by_forces) const;
  MatX<double> by_targets(const MatX<double>& by_forces) const;

  SystemTree tree_;
  int steps_;
  std::function<void()> before_each_step_ = [] {};
  Eigen::Index parameters_;
  std::unique_ptr<Integrator> integrator_;
  struct Place {
    Eigen::Index dof, v;  // indices in the tree and in State::v
    Eigen::Index q = -1;  // index in State::q, for joints of one degree of freedom, which can have a target
    double stiffness = 0;
  };
  std::vector<Place> places_;  // of each degree of freedom of joints
  State start_;
  ControlSequence controls_;
  std::vector<State> states_;
  int not_converged_ = 0;
};

// Computes ends[i] from starts[i] under controls[i] on `threads` threads (0: one per core); results are
// bit-identical for any number of threads. Throws InvalidInput as Rollout's constructor does, where the spans
// differ in length, and for starts or controls that do not fit the system; ends of other rollouts may then
// have been written.
void run_rollouts(const System& system, const StepConfig& config, int steps_per_control,
                  std::span<const State> starts, std::span<const ControlSequence> controls,
                  std::span<RolloutEnd> ends, int threads = 0);

}  // namespace abut::dynamics
