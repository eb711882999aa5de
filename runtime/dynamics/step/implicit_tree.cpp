#include "runtime/dynamics/step/implicit_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/dynamics/step/implicit_settings.h"
#include "runtime/dynamics/step/implicit_step.h"
#include "runtime/dynamics/step/tree_integrator.h"
#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/euler.h"

namespace abut::dynamics {
namespace {

class ImplicitTree final : public TreeIntegrator {
 public:
  ImplicitTree(const System& system, const StepConfig& config)
      : ImplicitTree(system, config, implicit_config(config.integrator_settings)) {}

 private:
  // A trial of the velocities after a step.
  struct Trial {
    VecX<double> v, q;
    VecX<double> a;         // of backward Euler
    VecX<double> residual;  // generalised force that is left, of the independent degrees of freedom
    double speed = 0;       // what its impulse changes of the velocity of all mass, m/s
    double scale = 0;       // what its rounding is relative to, m/s
  };

  ImplicitTree(const System& system, const StepConfig& config, const ImplicitSettings& settings)
      : TreeIntegrator(system, config, settings.joints), settings_(settings) {}

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, Slopes* slopes) override {
    report().solver.residual = 0;
    advance(q, v, control, dt(), 0, slopes);
  }

  void advance(VecX<double>& q, VecX<double>& v, const Control& control, double h, int halvings,
               Slopes* slopes) {
    const Trial end = solve(q, v, control, h);
    if (!solved(end) && halvings < kMostHalvings) {
      for (int half = 0; half < 2; ++half) advance(q, v, control, h / 2, halvings + 1, slopes);
      return;
    }
    if (!solved(end)) report().solver.status = Status::kNotConverged;
    report().solver.residual = std::max(report().solver.residual, end.speed);
    report().control_work += h * equations().control_power(end.v, control);
    if (slopes != nullptr) differentiate(v, end, control, h, *slopes);
    q = end.q;
    v = end.v;
  }

  bool solved(const Trial& trial) const {
    constexpr double kRounding = 1e-12;  // of forces, relative
    return trial.speed <= settings_.tolerance + kRounding * trial.scale;
  }

  Trial solve(const VecX<double>& q, const VecX<double>& v, const Control& control, double h);
  Trial trial_at(const VecX<double>& q, const VecX<double>& v, const VecX<double>& v_next,
                 const Control& control, double h);
  double speed_of(const VecX<double>& residual, double h) const;
  struct ResidualSlopes {
    MatX<double> by_q, by_v, by_v_next;  // (nv, nv): of q' and v' held, of v, of v' in all
  };
  ResidualSlopes residual_slopes(const VecX<double>& v, const Trial& trial, const Control& control, double h);
  void differentiate(const VecX<double>& v, const Trial& end, const Control& control, double h,
                     Slopes& slopes);

  ImplicitSettings settings_;
  Eigen::LLT<MatX<double>> inertia_;  // of the independent degrees of freedom, where the step starts
};

// Velocity that the impulse h R brings about at rest, in the kinetic metric, of all mass.
double ImplicitTree::speed_of(const VecX<double>& residual, double h) const {
  const double mass = equations().coordinates().mass();
  const double square = h * h * residual.dot(inertia_.solve(residual)) / (mass > 0 ? mass : 1);
  return square >= 0 ? std::sqrt(square) : std::numeric_limits<double>::infinity();
}

ImplicitTree::Trial ImplicitTree::trial_at(const VecX<double>& q, const VecX<double>& v,
                                           const VecX<double>& v_next, const Control& control, double h) {
  Trial trial;
  trial.v = v_next;
  euler_advance(tree(), q, v_next, h, trial.q);
  trial.a = backward_acceleration(tree(), v, v_next, h);
  const VecX<double> tau = equations().forces(trial.q, v_next, control, false).tau;
  const MatX<double>& G = equations().coordinates().independent();
  const VecX<double> inertial =
      inverse_dynamics<double>(tree(), trial.q, v_next, trial.a, equations().scratch());
  trial.residual = G.transpose() * (inertial - tau);
  trial.speed = speed_of(trial.residual, h);
  trial.scale = speed_of(G.transpose() * tau, h) + speed_of(G.transpose() * inertial, h);
  return trial;
}

ImplicitTree::ResidualSlopes ImplicitTree::residual_slopes(const VecX<double>& v, const Trial& trial,
                                                           const Control& control, double h) {
  const JointForces& forces = equations().forces(trial.q, trial.v, control, true);
  TreeScratch& scratch = equations().scratch();
  const MatX<double>& dtau = inverse_dynamics_derivatives<double>(tree(), trial.q, trial.v, trial.a, scratch);
  const Eigen::Index nv = tree().nv();
  const MatX<double>& M = scratch.mass_matrix;
  const AccelerationSlopes of_a = backward_acceleration_slopes(tree(), v, trial.v, h);
  ResidualSlopes slopes;
  slopes.by_q = dtau.leftCols(nv) - forces.dtau_dq;
  slopes.by_v = M * of_a.by_v;
  slopes.by_v_next = slopes.by_q * euler_advance_slopes(tree(), trial.v, h).by_v_next + dtau.rightCols(nv) -
                     forces.dtau_dv + M * of_a.by_v_next;
  return slopes;
}

ImplicitTree::Trial ImplicitTree::solve(const VecX<double>& q, const VecX<double>& v, const Control& control,
                                        double h) {
  constexpr double kLeastDecrease = 1e-4;  // of the squared speed, over what the slope promises
  constexpr double kLeastStep = 1e-6;      // of Newton's
  const MatX<double>& G = equations().coordinates().independent();
  inertia_.compute(G.transpose() * mass_matrix<double>(tree(), q, equations().scratch()) * G);
  Trial best = trial_at(q, v, v, control, h);
  for (int k = 0; k < settings_.iterations && !solved(best); ++k) {
    const ResidualSlopes slopes = residual_slopes(v, best, control, h);
    const VecX<double> way = G * (G.transpose() * slopes.by_v_next * G).partialPivLu().solve(-best.residual);
    if (!way.allFinite()) break;
    double length = 1;
    Trial next = trial_at(q, v, best.v + way, control, h);
    const auto falls = [&] {
      return next.speed * next.speed <= (1 - 2 * kLeastDecrease * length) * best.speed * best.speed;
    };
    while (!falls() && length > kLeastStep) {
      length /= 2;
      next = trial_at(q, v, best.v + length * way, control, h);
    }
    if (!falls()) break;
    best = next;
    ++report().solver.iterations;
  }
  equations().forces(best.q, best.v, control, false);
  return best;
}

// R(v'; q, v, f, p) = 0: dv' = -(dR/dv')^-1 (dR/dq dq + dR/dv dv - df + dR/dp dp), and q' by q and v'.
void ImplicitTree::differentiate(const VecX<double>& v, const Trial& end, const Control& control, double h,
                                 Slopes& slopes) {
  const MatX<double>& G = equations().coordinates().independent();
  const ResidualSlopes of_R = residual_slopes(v, end, control, h);
  const AdvanceSlopes way = euler_advance_slopes(tree(), end.v, h);
  MatX<double> dR = of_R.by_q * (way.by_q * slopes.q) + of_R.by_v * slopes.v;
  const Eigen::Index nv = tree().nv(), inputs_begin = dR.cols() - inputs();
  dR.middleCols(inputs_begin, nv) -= MatX<double>::Identity(nv, nv);
  dR.rightCols(equations().parameter_count()) -= equations().parameter_slopes(end.q, end.v, end.a);
  slopes.v = -G * (G.transpose() * of_R.by_v_next * G).partialPivLu().solve(G.transpose() * dR);
  slopes.q = way.by_q * slopes.q + way.by_v_next * slopes.v;
}

}  // namespace

std::unique_ptr<Integrator> make_implicit_tree(const System& system, const StepConfig& config) {
  return std::make_unique<ImplicitTree>(system, config);
}

}  // namespace abut::dynamics
