#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/system_tree.h"

// Many steps of a system with joints, and the gradients of where they lead: to plan and to identify.
//
//   dynamics::Rollout rollout(system, {.dt = 8e-3, .integrator = "implicit"}, 10);
//   const std::span<const State> way = rollout.run(start, controls);          // a state for each row
//   MatX<double> costates = ...;                                              // dcost / dx of each
//   const RolloutGradient slope = rollout.gradient(costates);                 // dcost / dcontrols
namespace abut::dynamics {

// Joint forces and targets over time: each row acts for the same number of steps. Both have the same number
// of rows, or none of one of them.
struct ControlSequence {
  MatX<double> joint_force;   // (rows, nv of State::v), N m or N; without rows: none
  MatX<double> joint_target;  // (rows, nq of State::q), rad or m; without rows: where the scene starts

  // Rows of those that are given.
  Eigen::Index rows() const { return std::max(joint_force.rows(), joint_target.rows()); }
};

// x: the 2 ni coordinates of StepDerivatives. Columns by controls stand row after row of the sequence.
struct RolloutJacobian {
  MatX<double> start;         // (2 ni, 2 ni): dx by x of the start
  MatX<double> joint_force;   // (2 ni, rows nv)
  MatX<double> joint_target;  // (2 ni, rows nq); zero where a joint has no stiffness
  MatX<double> parameter;     // (2 ni, parameters of the config)
  int kinks = 0;              // steps so far whose StepDerivatives::status is not ok
};

// Of a cost, a number.
struct RolloutGradient {
  VecX<double> start;         // (2 ni)
  MatX<double> joint_force;   // (rows, nv)
  MatX<double> joint_target;  // (rows, nq)
  VecX<double> parameter;     // (parameters)
  int kinks = 0;              // as RolloutJacobian
};

// Where a rollout ends.
struct RolloutEnd {
  State state;            // after the last row
  std::string error;      // empty: none; else what a step threw, and `state` is the one before it
  int not_converged = 0;  // steps that are not to be believed, by StepReport::status
};

// One per thread.
class Rollout {
 public:
  // Throws InvalidInput as make_integrator, for an integrator or contact solver without derivatives, and for
  // less than one step a row.
  Rollout(const System& system, const StepConfig& config, int steps_per_control);

  const SystemTree& coordinates() const { return tree_; }  // the tree whose coordinates x are
  int steps_per_control() const { return steps_; }         // time steps of a row of controls

  // The states after each row, valid until the next call; not_converged() says whether they are to be
  // believed. Throws InvalidInput for controls that do not fit, and as Integrator::step.
  std::span<const State> run(const State& start, const ControlSequence& controls);

  // Steps of the last run() that are not to be believed, by StepReport::status.
  int not_converged() const { return not_converged_; }

  // The last state alone; for candidates that may fail. Throws InvalidInput for controls that do not fit and
  // a bad start.
  RolloutEnd end(const State& start, const ControlSequence& controls);

  // Of sum_k costates.row(k) dx_k, x_k after row k of the last run: costates (rows, 2 ni). Goes backwards
  // over the rows, each repeated from the state before it, so that memory grows with rows plus steps a row.
  // Throws std::logic_error without a run, InvalidInput where the sizes do not fit.
  RolloutGradient gradient(const MatX<double>& costates);

  // The same of any run of this system and config, whose states after each row are given.
  RolloutGradient gradient(const State& start, const ControlSequence& controls, std::span<const State> states,
                           const MatX<double>& costates);

  // Is called after row k with k, the state there and its dx_k.
  using Visit = std::function<void(Eigen::Index, const State&, const RolloutJacobian&)>;
  // Runs with derivatives and visits after every row: all columns at once, forwards. Throws as run().
  void differentiate(const State& start, const ControlSequence& controls, const Visit& visit);

 private:
  void require_valid(const ControlSequence& controls) const;
  Control control_of(const ControlSequence& controls, Eigen::Index row) const;
  // By the joints' forces and targets: columns of all degrees of freedom to those of State::v and State::q.
  MatX<double> by_joint_forces(const MatX<double>& by_forces) const;
  MatX<double> by_targets(const MatX<double>& by_forces) const;

  SystemTree tree_;
  int steps_;
  Eigen::Index parameters_;
  std::unique_ptr<Integrator> integrator_;
  struct Place {
    Eigen::Index dof, v;  // in the tree and in State::v
    Eigen::Index q = -1;  // in State::q of a joint with a target
    double stiffness = 0;
  };
  std::vector<Place> places_;  // of all degrees of freedom of joints
  State start_;
  ControlSequence controls_;
  std::vector<State> states_;
  int not_converged_ = 0;
};

// ends[i] from starts[i] under controls[i], on `threads` (0: one per core): the same bits for any number.
// Throws InvalidInput as Rollout's constructor, where the spans differ in length, and for starts and controls
// that are not the system's: other ends may be written then.
void run_rollouts(const System& system, const StepConfig& config, int steps_per_control,
                  std::span<const State> starts, std::span<const ControlSequence> controls,
                  std::span<RolloutEnd> ends, int threads = 0);

}  // namespace abut::dynamics
