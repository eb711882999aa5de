#include "runtime/dynamics/step/implicit_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/dynamics/solve/smoothed_friction.h"
#include "runtime/dynamics/step/implicit_settings.h"
#include "runtime/dynamics/step/implicit_step.h"
#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/euler.h"
#include "runtime/dynamics/tree/momentum.h"

namespace abut::dynamics {
namespace {

// Bodies coupled by joints, or a single one: their independent degrees of freedom and their mass, kg.
struct Group {
  std::vector<int> dofs;
  double mass = 0;
};

std::vector<Group> groups_of(const SystemTree& coordinates) {
  const System& system = coordinates.system();
  std::vector<Group> groups(system.body_count());
  std::vector<std::size_t> group_of(system.body_count());
  std::iota(group_of.begin(), group_of.end(), 0);
  const auto moves = [&](std::int32_t body) { return coordinates.tree().last_dof(body) >= 0; };
  for (const std::vector<std::int32_t>& bodies : moving_trees(system.scene())) {
    // A body welded to the world may carry several trees.
    const auto first = std::find_if(bodies.begin(), bodies.end(), moves);
    for (const std::int32_t body : bodies)
      if (moves(body)) group_of[static_cast<std::size_t>(body)] = static_cast<std::size_t>(*first);
  }
  for (std::size_t i = 0; i < system.body_count(); ++i)
    if (moves(static_cast<std::int32_t>(i))) groups[group_of[i]].mass += system.body(i).mass;
  const std::vector<int>& places = coordinates.mimics().independent_velocities();
  for (std::size_t k = 0; k < places.size(); ++k)
    groups[group_of[static_cast<std::size_t>(coordinates.link_of_dof(places[k]))]].dofs.push_back(
        static_cast<int>(k));
  std::erase_if(groups, [](const Group& group) { return group.dofs.empty(); });
  for (Group& group : groups)
    if (!(group.mass > 0)) group.mass = 1;
  return groups;
}

class ImplicitTree final : public TreeIntegrator {
 public:
  ImplicitTree(const System& system, const StepConfig& config)
      : ImplicitTree(system, config, implicit_config(config.integrator_settings)) {}

 private:
  // A trial of the velocities at the end of a step.
  struct Trial {
    VecX<double> v, q;
    VecX<double> residual;  // residual force R at the independent degrees of freedom
    double speed = 0;       // largest velocity of a group's mass by the impulse h R, m/s
    double excess = 0;      // largest part of it beyond rounding of forces, m/s
    bool foreseen = false;  // whether newton_ is from the trial before it, with the same smoothing
  };

  ImplicitTree(const System& system, const StepConfig& config, const ImplicitSettings& settings)
      : TreeIntegrator(system, config, settings.joints, kImplicitStiction),
        settings_(settings),
        groups_(groups_of(equations().coordinates())) {}

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) override {
    report().solver.residual = 0;
    report().substeps = 0;
    advance(q, v, control, dt(), 0, slopes);
  }

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, double h, int halvings,
               Slopes* slopes) {
    const BackwardInertia inertia(tree(), q, v, h, equations().scratch());
    Trial end = solve(inertia, q, v, control, h);
    if (!solved(end)) {
      if (halvings < kMaxHalvings) {
        for (int half = 0; half < 2; ++half) advance(q, v, control, h / 2, halvings + 1, slopes);
        return;
      }
      report().solver.status = Status::kNotConverged;
      end = pushed(inertia, q, end, control, h);
    }
    ++report().substeps;
    heed_contact();
    report().solver.residual += end.speed;
    report().control_work += h * equations().control_power(end.v, control);
    if (slopes != nullptr) differentiate(inertia, q, v, end, control, h, *slopes);
    q = end.q;
    v = end.v;
  }

  static bool solved(const Trial& trial, double tolerance) {
    return std::isfinite(trial.speed) && trial.excess <= tolerance;
  }
  bool solved(const Trial& trial) const { return solved(trial, settings_.tolerance); }

  Trial solve(const BackwardInertia& inertia, const VecX<double>& q, const VecX<double>& v,
              const Control& control, double h);
  Trial solve_smoothed(const BackwardInertia& inertia, const VecX<double>& q, const VecX<double>& v,
                       const Control& control, double h);
  Trial search(const BackwardInertia& inertia, const VecX<double>& q, const VecX<double>& v,
               const Control& control, double h, const SearchLimits& limits);
  Trial trial_at(const BackwardInertia& inertia, const VecX<double>& q, const VecX<double>& v_next,
                 const Control& control, double h);
  Trial pushed(const BackwardInertia& inertia, const VecX<double>& q, const Trial& best,
               const Control& control, double h);
  void measure(const VecX<double>& tau, const VecX<double>& inertial, double h, Trial& trial);
  // Returns sqrt(v'Mv) of velocities of the independent degrees of freedom, sqrt(J).
  double kinetic_norm(const VecX<double>& velocities) const {
    return (inertia_.matrixU() * velocities).norm();
  }
  // Whether the trial is a solution to the rounding of its velocities, with the Newton step from it.
  bool is_rounding(const Trial& trial, const VecX<double>& newton, double h) const;
  // Derivatives (nv, nv) of the residual with respect to q' and to v', the other held.
  BackwardInertia::EndSlopes residual_slopes(const BackwardInertia& inertia, const Trial& trial,
                                             const Control& control);
  // Factorises the derivative of the residual at a trial into newton_.
  void linearise(const BackwardInertia& inertia, const Trial& trial, const Control& control, double h);
  void differentiate(const BackwardInertia& inertia, const VecX<double>& q, const VecX<double>& v,
                     const Trial& end, const Control& control, double h, Slopes& slopes);

  ImplicitSettings settings_;
  std::vector<Group> groups_;
  // Of the independent degrees of freedom, at the start of the step.
  Eigen::LLT<MatX<double>> inertia_;
  // Derivative of the residual with respect to v' at the last trial linearised.
  Eigen::PartialPivLU<MatX<double>> newton_;
  VecX<double> tangent_;  // scratch of euler_advance
};

// Measures a trial by the velocities that the impulse h R gives to bodies at rest, in the kinetic metric.
void ImplicitTree::measure(const VecX<double>& tau, const VecX<double>& inertial, double h, Trial& trial) {
  constexpr double kRounding = 1e-12;  // relative rounding error of forces
  const MatX<double>& G = equations().coordinates().independent();
  const auto squares = [&](const VecX<double>& force) -> VecX<double> {
    return h * h * force.cwiseProduct(inertia_.solve(force));
  };
  const auto root = [](double square) {
    return square >= 0 ? std::sqrt(square) : std::numeric_limits<double>::infinity();
  };
  const VecX<double> left = squares(trial.residual), pushed = squares(G.transpose() * tau),
                     kept = squares(G.transpose() * inertial);
  for (const Group& group : groups_) {
    const auto speed_of = [&](const VecX<double>& of) { return root(of(group.dofs).sum() / group.mass); };
    const double speed = speed_of(left);
    trial.speed = std::max(trial.speed, speed);
    trial.excess = std::max(
        trial.excess, std::isfinite(speed) ? speed - kRounding * (speed_of(pushed) + speed_of(kept)) : speed);
  }
}

ImplicitTree::Trial ImplicitTree::trial_at(const BackwardInertia& inertia, const VecX<double>& q,
                                           const VecX<double>& v_next, const Control& control, double h) {
  Trial trial;
  trial.v = v_next;
  euler_advance(tree(), q, v_next, h, trial.q, tangent_);
  const VecX<double> tau = equations().forces(trial.q, v_next, control, false).tau;
  const MatX<double>& G = equations().coordinates().independent();
  const VecX<double> inertial = inertia.force(trial.q, v_next, equations().scratch());
  trial.residual = G.transpose() * (inertial - tau);
  measure(tau, inertial, h, trial);
  return trial;
}

BackwardInertia::EndSlopes ImplicitTree::residual_slopes(const BackwardInertia& inertia, const Trial& trial,
                                                         const Control& control) {
  const JointForces& forces = equations().forces(trial.q, trial.v, control, true);
  BackwardInertia::EndSlopes slopes = inertia.end_slopes(trial.q, trial.v, equations().scratch());
  slopes.by_q_next -= forces.dtau_dq;
  slopes.by_v_next -= forces.dtau_dv;
  return slopes;
}

void ImplicitTree::linearise(const BackwardInertia& inertia, const Trial& trial, const Control& control,
                             double h) {
  const MatX<double>& G = equations().coordinates().independent();
  const BackwardInertia::EndSlopes of_R = residual_slopes(inertia, trial, control);
  newton_.compute(G.transpose() *
                  (of_R.by_q_next * euler_advance_slopes(tree(), trial.v, h).by_v_next + of_R.by_v_next) * G);
}

// Solves for the end of a step: directly, otherwise by way of smoothed friction.
ImplicitTree::Trial ImplicitTree::solve(const BackwardInertia& inertia, const VecX<double>& q,
                                        const VecX<double>& v, const Control& control, double h) {
  equations().smooth_stiction(1);  // in case an earlier step threw an exception
  const MatX<double>& G = equations().coordinates().independent();
  inertia_.compute(G.transpose() * mass_matrix<double>(tree(), q, equations().scratch()) * G);
  const int before = report().solver.iterations;
  const VecX<double> carried = carried_velocity(tree(), v, h);
  Trial best =
      search(inertia, q, carried, control, h,
             {settings_.tolerance, std::min(kDirectIterations, settings_.iterations), kDirectHalvings});
  if (!solved(best)) {
    const int direct_iterations = report().solver.iterations - before;
    const Trial smoothed = solve_smoothed(inertia, q, carried, control, h);
    equations().smooth_stiction(1);
    best = solved(smoothed) ? smoothed
                            : search(inertia, q, best.v, control, h,
                                     {settings_.tolerance, settings_.iterations - direct_iterations});
  }
  equations().forces(best.q, best.v, control, false);
  return best;
}

// Returns the last trial; it obeys the law itself where the continuation reached it.
ImplicitTree::Trial ImplicitTree::solve_smoothed(const BackwardInertia& inertia, const VecX<double>& q,
                                                 const VecX<double>& v, const Control& control, double h) {
  Trial trial;
  const bool found = follow_smoothed_friction(
      v, settings_.tolerance,
      [&](double factor, double tolerance, const VecX<double>& guess) {
        equations().smooth_stiction(factor);
        trial = search(inertia, q, guess, control, h, {tolerance, settings_.iterations});
        return solved(trial, tolerance);
      },
      [&] { return trial.v; },
      [&](double factor) -> VecX<double> {
        if (!trial.foreseen) linearise(inertia, trial, control, h);
        equations().smooth_stiction((1 + kFactorDifference) * factor);
        const VecX<double> change = trial_at(inertia, q, trial.v, control, h).residual - trial.residual;
        const VecX<double> slope = newton_.solve(-change / (kFactorDifference * factor));
        return equations().coordinates().independent() * slope;
      });
  if (!found) trial.speed = std::numeric_limits<double>::infinity();
  return trial;
}

bool ImplicitTree::is_rounding(const Trial& trial, const VecX<double>& newton, double h) const {
  const double speed = kinetic_norm(trial.v(equations().coordinates().mimics().independent_velocities()));
  return h * kinetic_norm(inertia_.solve(trial.residual)) <= kResidualByRounding * speed &&
         kinetic_norm(newton) <= kRoundingOfVelocity * speed;
}

ImplicitTree::Trial ImplicitTree::search(const BackwardInertia& inertia, const VecX<double>& q,
                                         const VecX<double>& v, const Control& control, double h,
                                         const SearchLimits& limits) {
  constexpr double kLeastDecrease = 1e-4;  // of the square, relative to the predicted one
  constexpr double kLeastStep = 1e-6;      // shortest fraction of a Newton step
  const MatX<double>& G = equations().coordinates().independent();
  Trial best = trial_at(inertia, q, v, control, h);
  int halvings = 0;
  for (int k = 0; k < limits.iterations && halvings <= limits.halvings && !solved(best, limits.tolerance);
       ++k) {
    linearise(inertia, best, control, h);
    const VecX<double> newton = newton_.solve(-best.residual), way = G * newton;
    if (!way.allFinite()) break;
    if (is_rounding(best, newton, h)) {
      best.excess = 0;
      break;
    }
    double length = 1;
    Trial next = trial_at(inertia, q, best.v + way, control, h);
    const auto falls = [&] {
      return next.excess <= std::sqrt(1 - 2 * kLeastDecrease * length) * best.excess;
    };
    while (!falls() && length > kLeastStep) {
      length /= 2;
      ++halvings;
      next = trial_at(inertia, q, best.v + length * way, control, h);
    }
    if (!falls()) break;
    best = next;
    best.foreseen = true;
    ++report().solver.iterations;
  }
  return best;
}

// Returns the trial to which the impulse left over at the best one drives the velocities, with the forces
// linearised there (a whole Newton step), or as they are where that moves the bodies less; but for as much of
// the impulse that the forces there do not give as would add energy (as ImplicitIsland::restrain).
ImplicitTree::Trial ImplicitTree::pushed(const BackwardInertia& inertia, const VecX<double>& q,
                                         const Trial& best, const Control& control, double h) {
  if (!best.residual.allFinite()) return best;
  linearise(inertia, best, control, h);
  const SystemTree& coordinates = equations().coordinates();
  const MatX<double>& G = coordinates.independent();
  const VecX<double> newton = newton_.solve(-best.residual), held = -h * inertia_.solve(best.residual);
  const VecX<double>& way = kinetic_norm(newton) <= kinetic_norm(held) ? newton : held;
  const Trial free = trial_at(inertia, q, best.v + G * way, control, h);
  const VecX<double> velocities = free.v(coordinates.mimics().independent_velocities());
  const VecX<double> given = h * inertia_.solve(free.residual);
  const double energy = h * free.residual.dot(velocities), merit = kinetic_norm(given) * kinetic_norm(given);
  if (!std::isfinite(merit) || !(energy > 0)) return free;
  return trial_at(inertia, q, free.v - std::min(1.0, energy / merit) * (G * given), control, h);
}

// With R(v'; q, v, f, p) = 0: dv' = -(dR/dv')^-1 (dR/dq dq + dR/dv dv - df + dR/dp dp); dq' follows from dq
// and dv'.
void ImplicitTree::differentiate(const BackwardInertia& inertia, const VecX<double>& q, const VecX<double>& v,
                                 const Trial& end, const Control& control, double h, Slopes& slopes) {
  const MatX<double>& G = equations().coordinates().independent();
  const BackwardInertia::EndSlopes of_R = residual_slopes(inertia, end, control);
  heed_contact();
  const AdvanceSlopes way = euler_advance_slopes(tree(), end.v, h);
  const auto of_variant = [&](const Tree& of, TreeScratch& with) {
    return BackwardInertia(of, q, v, h, with).force(end.q, end.v, with);
  };
  const MatX<double>& by_parameters = equations().parameter_slopes(of_variant);
  const BackwardInertia::StartSlopes of_start = inertia.start_slopes(end.q, end.v, equations().scratch());
  MatX<double> dR = (of_R.by_q_next * way.by_q + of_start.by_q) * slopes.q + of_start.by_v * slopes.v;
  const Eigen::Index nv = tree().nv(), inputs_begin = dR.cols() - inputs();
  dR.middleCols(inputs_begin, nv) -= MatX<double>::Identity(nv, nv);
  dR.rightCols(by_parameters.cols()) -= by_parameters;
  const MatX<double> by_v = of_R.by_q_next * way.by_v_next + of_R.by_v_next;
  slopes.v = -G * (G.transpose() * by_v * G).partialPivLu().solve(G.transpose() * dR);
  slopes.q = way.by_q * slopes.q + way.by_v_next * slopes.v;
}

}  // namespace

std::unique_ptr<Integrator> make_implicit_tree(const System& system, const StepConfig& config) {
  return std::make_unique<ImplicitTree>(system, config);
}

}  // namespace abut::dynamics
