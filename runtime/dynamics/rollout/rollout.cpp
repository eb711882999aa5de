#include "runtime/dynamics/rollout/rollout.h"

#include <stdexcept>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/core/table.h"

namespace abut::dynamics {
namespace {

const StepConfig& require_derivatives(const StepConfig& config) {
  const IntegratorRow& integrator = find_integrator(config.integrator);
  if (!integrator.has_derivatives)
    throw InvalidInput("rollout: the integrator '" + config.integrator +
                       "' has no derivatives; take one of: " +
                       names_of(integrators(), [](const IntegratorRow& row) { return row.has_derivatives; }));
  const std::string solver(solver_of(config));
  if (!solver.empty() && !find_contact_solver(solver).has_derivatives)
    throw InvalidInput(
        "rollout: steps with the contact solver '" + solver + "' have no derivatives; take one of: " +
        names_of(contact_solvers(), [](const ContactSolverRow& row) { return row.has_derivatives; }));
  return config;
}

std::span<const double> row_of(const MatX<double>& matrix, Eigen::Index row) {
  if (matrix.rows() == 0) return {};
  return {matrix.data() + row * matrix.cols(), static_cast<std::size_t>(matrix.cols())};
}

}  // namespace

Rollout::Rollout(const System& system, const StepConfig& config, int steps_per_control)
    : tree_(system),
      steps_(steps_per_control),
      parameters_(static_cast<Eigen::Index>(config.parameters.size())),
      integrator_(make_integrator(system, require_derivatives(config))) {
  if (steps_per_control < 1)
    throw InvalidInput("rollout: a row of controls acts for " + std::to_string(steps_per_control) +
                       " steps; it must be 1 or more");
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    if (!system.body(i).joint) continue;
    const int first = tree_.tree().first_v(static_cast<int>(i)),
              end = tree_.tree().end_v(static_cast<int>(i));
    for (int d = first; d < end; ++d) {
      Place place{.dof = d, .v = system.first_v(i) + d - first};
      if (end - first == 1) {
        place.q = system.first_q(i);
        place.stiffness = system.body(i).joint->joint.stiffness;
      }
      places_.push_back(place);
    }
  }
}

void Rollout::require_valid(const ControlSequence& controls) const {
  const System& system = tree_.system();
  const Eigen::Index nv = system.first_v(system.body_count()), nq = system.first_q(system.body_count());
  const auto require = [&](const MatX<double>& matrix, Eigen::Index columns, const char* what) {
    if (matrix.rows() == 0) return;
    if (matrix.rows() != controls.rows() || matrix.cols() != columns)
      throw InvalidInput(std::string("controls: ") + what + " are (" + std::to_string(matrix.rows()) + ", " +
                         std::to_string(matrix.cols()) + "); they must be (" +
                         std::to_string(controls.rows()) + ", " + std::to_string(columns) + ")");
    if (!matrix.allFinite()) throw InvalidInput(std::string("controls: ") + what + " are not finite");
  };
  require(controls.joint_force, nv, "forces of joints");
  require(controls.joint_target, nq, "targets of joints");
}

Control Rollout::control_of(const ControlSequence& controls, Eigen::Index row) const {
  Control control;
  control.joint_force = row_of(controls.joint_force, row);
  control.joint_target = row_of(controls.joint_target, row);
  return control;
}

std::span<const State> Rollout::run(const State& start, const ControlSequence& controls) {
  require_valid(controls);
  start_ = start;
  controls_ = controls;
  states_.clear();
  not_converged_ = 0;
  State state = start_;  // `start` may be an element of states_, which was cleared
  for (Eigen::Index row = 0; row < controls_.rows(); ++row) {
    const Control control = control_of(controls_, row);
    for (int k = 0; k < steps_; ++k) {
      before_each_step_();
      not_converged_ += integrator_->step(state, control).status() == Status::kNotConverged;
    }
    states_.push_back(state);
  }
  return states_;
}

RolloutEnd Rollout::end(const State& start, const ControlSequence& controls) {
  require_valid(controls);
  tree_.system().require_valid(start);
  RolloutEnd end;
  end.state = start;
  State next = start;
  try {
    for (Eigen::Index row = 0; row < controls.rows(); ++row) {
      const Control control = control_of(controls, row);
      for (int k = 0; k < steps_; ++k) {
        end.not_converged += integrator_->step(next, control).status() == Status::kNotConverged;
        end.state = next;
      }
    }
  } catch (const InvalidInput& error) {
    end.error = error.what();
  }
  return end;
}

MatX<double> Rollout::by_joint_forces(const MatX<double>& by_forces) const {
  const System& system = tree_.system();
  MatX<double> result = MatX<double>::Zero(by_forces.rows(), system.first_v(system.body_count()));
  for (const Place& place : places_) result.col(place.v) = by_forces.col(place.dof);
  return result;
}

// The force of a drive is stiffness (target - q).
MatX<double> Rollout::by_targets(const MatX<double>& by_forces) const {
  const System& system = tree_.system();
  MatX<double> result = MatX<double>::Zero(by_forces.rows(), system.first_q(system.body_count()));
  for (const Place& place : places_)
    if (place.q >= 0) result.col(place.q) = place.stiffness * by_forces.col(place.dof);
  return result;
}

RolloutGradient Rollout::gradient(const MatX<double>& costates) {
  if (states_.size() != static_cast<std::size_t>(controls_.rows()))
    throw std::logic_error("rollout: gradient() without a run to its end");
  return gradient(start_, controls_, states_, costates);
}

// Adjoint recursion lambda_k' = lambda_k+1' A_k for the linearised steps x_k+1 = A_k x_k + B_k u_k + C_k p,
// with controls u_k and parameters p.
RolloutGradient Rollout::gradient(const State& start, const ControlSequence& controls,
                                  std::span<const State> states, const MatX<double>& costates) {
  require_valid(controls);
  const Eigen::Index rows = controls.rows(), nx = 2 * tree_.independent().cols();
  if (states.size() != static_cast<std::size_t>(rows))
    throw InvalidInput("rollout: " + std::to_string(states.size()) + " states of " + std::to_string(rows) +
                       " rows of controls");
  if (costates.rows() != rows || costates.cols() != nx || !costates.allFinite())
    throw InvalidInput("rollout: costates must be (" + std::to_string(rows) + ", " + std::to_string(nx) +
                       ") and finite");
  MatX<double> costate = MatX<double>::Zero(1, nx);
  MatX<double> by_forces = MatX<double>::Zero(rows, tree_.tree().nv());
  RolloutGradient result;
  result.parameter.setZero(parameters_);
  std::vector<StepDerivatives> steps(static_cast<std::size_t>(steps_));
  bool finite_steps = true;
  for (Eigen::Index row = rows - 1; row >= 0; --row) {
    costate += costates.row(row);
    State state = row == 0 ? start : states[static_cast<std::size_t>(row - 1)];
    const Control control = control_of(controls, row);
    for (StepDerivatives& step : steps) {
      before_each_step_();
      integrator_->step(state, control, step);
      result.kinks += step.status != Status::kOk;
      finite_steps = finite_steps && all_finite(step);
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      by_forces.row(row) += costate * step->force;
      if (parameters_ > 0) result.parameter += (costate * step->parameter).transpose();
      costate = (costate * step->state).eval();
    }
  }
  result.start = costate.transpose();
  result.joint_force = by_joint_forces(by_forces);
  result.joint_target = by_targets(by_forces);
  if (finite_steps && !(result.start.allFinite() && result.joint_force.allFinite() &&
                        result.joint_target.allFinite() && result.parameter.allFinite()))
    throw InvalidInput("rollout: the gradient has left the finite numbers; scale the costates down");
  return result;
}

void Rollout::differentiate(const State& start, const ControlSequence& controls, const Visit& visit) {
  require_valid(controls);
  const Eigen::Index nx = 2 * tree_.independent().cols(), nv = tree_.tree().nv(), rows = controls.rows();
  MatX<double> by_forces = MatX<double>::Zero(nx, rows * nv);
  RolloutJacobian jacobian;
  jacobian.start = MatX<double>::Identity(nx, nx);
  jacobian.parameter.setZero(nx, parameters_);
  const System& system = tree_.system();
  const Eigen::Index joint_v = system.first_v(system.body_count()),
                     joint_q = system.first_q(system.body_count());
  jacobian.joint_force.setZero(nx, rows * joint_v);
  jacobian.joint_target.setZero(nx, rows * joint_q);
  State state = start;
  StepDerivatives step;
  bool finite_steps = true;
  for (Eigen::Index row = 0; row < rows; ++row) {
    const Control control = control_of(controls, row);
    auto so_far = by_forces.leftCols((row + 1) * nv);
    for (int k = 0; k < steps_; ++k) {
      before_each_step_();
      integrator_->step(state, control, step);
      jacobian.kinks += step.status != Status::kOk;
      finite_steps = finite_steps && all_finite(step);
      jacobian.start = (step.state * jacobian.start).eval();
      so_far = (step.state * so_far).eval();
      so_far.rightCols(nv) += step.force;
      jacobian.parameter = (step.state * jacobian.parameter + step.parameter).eval();
    }
    for (Eigen::Index r = 0; r <= row; ++r) {
      const MatX<double> part = by_forces.middleCols(r * nv, nv);
      jacobian.joint_force.middleCols(r * joint_v, joint_v) = by_joint_forces(part);
      jacobian.joint_target.middleCols(r * joint_q, joint_q) = by_targets(part);
    }
    if (finite_steps && !(jacobian.start.allFinite() && jacobian.joint_force.allFinite() &&
                          jacobian.joint_target.allFinite() && jacobian.parameter.allFinite()))
      throw InvalidInput("rollout: the derivatives of the state after row " + std::to_string(row) +
                         " have left the finite numbers; take fewer rows");
    visit(row, state, jacobian);
  }
}

void run_rollouts(const System& system, const StepConfig& config, int steps_per_control,
                  std::span<const State> starts, std::span<const ControlSequence> controls,
                  std::span<RolloutEnd> ends, int threads) {
  if (starts.size() != controls.size() || starts.size() != ends.size())
    throw InvalidInput("rollouts: " + std::to_string(starts.size()) + " starts, " +
                       std::to_string(controls.size()) + " controls, room for " +
                       std::to_string(ends.size()) + " ends");
  StepConfig alone = config;
  alone.threads = 1;
  std::vector<std::unique_ptr<Rollout>> rollouts(
      static_cast<std::size_t>(threads > 0 ? threads : default_threads()));
  rollouts.front() = std::make_unique<Rollout>(system, alone, steps_per_control);
  std::vector<std::string> refused(ends.size());  // message of each rollout's error; empty: none
  parallel_for(static_cast<std::int64_t>(ends.size()), static_cast<int>(rollouts.size()),
               [&](std::int64_t i, int thread) {
                 auto& rollout = rollouts[static_cast<std::size_t>(thread)];
                 if (!rollout) rollout = std::make_unique<Rollout>(system, alone, steps_per_control);
                 const auto at = static_cast<std::size_t>(i);
                 try {
                   ends[at] = rollout->end(starts[at], controls[at]);
                 } catch (const InvalidInput& error) {
                   refused[at] = error.what();
                 }
               });
  for (std::size_t i = 0; i < refused.size(); ++i)
    if (!refused[i].empty()) throw InvalidInput("rollout " + std::to_string(i) + ": " + refused[i]);
}

}  // namespace abut::dynamics
