#include "runtime/dynamics/step/tree_integrator.h"

#include <limits>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/contact_stage.h"
#include "runtime/dynamics/tree/derivatives.h"

namespace abut::dynamics {
namespace {

// Of pairs of bodies within one step: contact may throw a body at what it was too slow for.
constexpr int kMaxSearches = 3;

}  // namespace

const StepReport& TreeIntegrator::step(State& state, const Control& control) {
  return step(state, control, static_cast<Slopes*>(nullptr));
}

const StepReport& TreeIntegrator::step(State& state, const Control& control, StepDerivatives& derivatives) {
  Slopes slopes;
  step(state, control, &slopes);
  const std::vector<int>& places = equations_.coordinates().mimics().independent_velocities();
  const auto ni = static_cast<Eigen::Index>(places.size());
  derivatives.state.resize(2 * ni, 2 * ni);
  derivatives.force.resize(2 * ni, tree().nv());
  derivatives.parameter.resize(2 * ni, equations_.parameter_count());
  for (const MatX<double>* part : {&slopes.q, &slopes.v}) {
    const Eigen::Index first = part == &slopes.q ? 0 : ni;
    derivatives.state.middleRows(first, ni) = (*part)(places, Eigen::all).leftCols(2 * ni);
    derivatives.force.middleRows(first, ni) = (*part)(places, Eigen::all).middleCols(2 * ni, tree().nv());
    derivatives.parameter.middleRows(first, ni) =
        (*part)(places, Eigen::all).rightCols(equations_.parameter_count());
  }
  return report_;
}

TreeIntegrator::Slopes TreeIntegrator::first_slopes() const {
  const MatX<double>& G = equations_.coordinates().independent();
  const Eigen::Index nv = G.rows(), ni = G.cols();
  Slopes slopes{MatX<double>::Zero(nv, 2 * ni + inputs()), MatX<double>::Zero(nv, 2 * ni + inputs())};
  slopes.q.leftCols(ni) = G;
  slopes.v.middleCols(ni, ni) = G;
  return slopes;
}

const StepReport& TreeIntegrator::step(State& state, const Control& control, Slopes* slopes) {
  const SystemTree& coordinates = equations_.coordinates();
  coordinates.system().require_valid(state);
  coordinates.system().require_valid(control);
  state.impulses.clear();
  equations_.find(state, control, dt_);
  State next = state;
  for (int k = 1;; ++k) {
    report_ = {};
    report_.penetration = std::numeric_limits<double>::quiet_NaN();
    coordinates.coordinates(state, q_, v_);
    if (slopes != nullptr) *slopes = first_slopes();
    advance(q_, v_, control, slopes);
    if (!q_.allFinite() || !v_.allFinite())
      throw InvalidInput("simulation: a joint has left the finite numbers; take a smaller time step");
    coordinates.place(q_, v_, equations_.scratch(), next);
    if (k == kMaxSearches || equations_.covers(dt_)) break;
    State faster = next;  // where it was, with the speeds that it has got
    for (std::size_t i = 0; i < faster.bodies.size(); ++i) {
      faster.bodies[i].p_WB = state.bodies[i].p_WB;
      faster.bodies[i].q_WB = state.bodies[i].q_WB;
    }
    equations_.find(faster, control, dt_);
  }
  state = next;
  report_.contacts = equations_.contacts();
  measure(coordinates.system(), state, report_);
  return report_;
}

// M a = tau(q, v) - b(q, v), so that M da = d(tau - M a - b) with a held there.
VecX<double> TreeIntegrator::accelerate(const VecX<double>& q, const VecX<double>& v, const Control& control,
                                        ForwardSlopes* slopes) {
  const JointForces& forces = equations_.forces(q, v, control, slopes != nullptr);
  const VecX<double> a = equations_.acceleration(q, v, forces.tau);
  if (slopes == nullptr) return a;
  const MatX<double>& by_parameters = equations_.parameter_slopes(q, v, a);
  TreeScratch& scratch = equations_.scratch();
  const MatX<double>& G = equations_.coordinates().independent();
  const MatX<double>& dtau = inverse_dynamics_derivatives<double>(tree(), q, v, a, scratch);
  const auto nv = static_cast<Eigen::Index>(tree().nv());
  const Eigen::LLT<MatX<double>> M(G.transpose() * scratch.mass_matrix * G);
  slopes->by_q = G * M.solve(G.transpose() * (forces.dtau_dq - dtau.leftCols(nv)));
  slopes->by_v = G * M.solve(G.transpose() * (forces.dtau_dv - dtau.rightCols(nv)));
  slopes->by_input.resize(nv, inputs());
  slopes->by_input.leftCols(nv) = G * M.solve(G.transpose());
  slopes->by_input.rightCols(by_parameters.cols()) = G * M.solve(G.transpose() * by_parameters);
  return a;
}

}  // namespace abut::dynamics
