#include "runtime/dynamics/step/tree_integrator.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/contact_forces.h"
#include "runtime/dynamics/step/contact_stage.h"
#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"

namespace abut::dynamics {
namespace {

// Number of searches for pairs of bodies within one step: contact may throw a body at one that it was too
// slow to reach.
constexpr int kMaxSearches = 3;

[[noreturn]] void refuse_step(double dt, double stable_dt) {
  std::ostringstream what;
  what << "simulation: a joint has left the finite numbers; ";
  const bool known = stable_dt > 1e-6 * dt;  // otherwise the accelerations themselves are not finite
  if (stable_dt < dt)
    what << "the time step of " << dt << " s is too long for the stiffness or the spin: take "
         << (known ? "one below " + number_text(stable_dt) + " s" : "a much smaller one")
         << " or the integrator implicit";
  else
    what << "take a smaller time step";
  throw InvalidInput(what.str());
}

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
  const bool found = report_.status() == Status::kOk && all_finite(derivatives);
  derivatives.status = found ? contact_ : Status::kNotConverged;
  derivatives.kinks.clear();
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
  coordinates.coordinates(state, q_start_, v_start_);
  if (arrived_ && q_start_ == q_ && v_start_ == v_) {
    std::swap(start_, next_);
    std::swap(kinetic_start_, kinetic_);
  } else {
    start_ = state;
    equations_.place(q_start_, v_start_, start_);
    find_kinetic_energies(start_, kinetic_start_);
  }
  arrived_ = false;
  equations_.find(start_, control, dt_);
  next_ = start_;
  for (int k = 1;; ++k) {
    report_ = {};
    report_.penetration = std::numeric_limits<double>::quiet_NaN();
    q_ = q_start_;
    v_ = v_start_;
    stage_count_ = 0;
    covered_ = true;
    contact_ = Status::kOk;
    fastest_.assign(state.bodies.size(), Vec6<double>::Zero());
    if (slopes != nullptr) *slopes = first_slopes();
    advance(q_, v_, control, slopes);
    if (!q_.allFinite() || !v_.allFinite()) refuse_step(dt_, stable_step(everything(), v_start_, control));
    equations_.place(q_, v_, next_);
    if (k == kMaxSearches || covered_) break;
    equations_.find(start_, control, dt_, fastest_);
  }
  report_.missed_contacts = !covered_;
  if (!covered_ || contact_ == Status::kNotConverged) report_.solver.status = Status::kNotConverged;
  report_.contacts = equations_.contacts();
  measure(coordinates.system(), next_, report_);
  find_kinetic_energies(next_, kinetic_);
  if (find_suspects())
    if (const double longest = stable_step(suspects_, v_ - v_start_, control); longest < dt_)
      report_.stable_dt = longest;
  state = next_;
  arrived_ = true;
  return report_;
}

void TreeIntegrator::find_kinetic_energies(const State& state, std::vector<double>& energies) const {
  const System& system = equations_.coordinates().system();
  energies.resize(state.bodies.size());
  for (std::size_t i = 0; i < energies.size(); ++i) energies[i] = system.kinetic_energy(state, i);
}

void TreeIntegrator::heed_contact() {
  covered_ = covered_ && equations_.covers(dt_);
  fill_contact_forces(equations_.pairs(), contact_forces_);
  for (std::size_t i = 0; i < fastest_.size(); ++i) {
    const Vec6<double>& V = equations_.motions()[i].V_WB_W;
    fastest_[i][0] = std::max(fastest_[i][0], V.head<3>().norm());
    fastest_[i][3] = std::max(fastest_[i][3], V.tail<3>().norm());
  }
  if (const Status status = equations_.contact_status(); status != Status::kOk)
    if (contact_ != Status::kNotConverged) contact_ = status;
}

// M a = tau(q, v) - b(q, v), so that M da = d(tau - M a - b) with a held on the right.
const VecX<double>& TreeIntegrator::accelerate(const VecX<double>& q, const VecX<double>& v,
                                               const Control& control, ForwardSlopes* slopes) {
  if (!q.allFinite() || !v.allFinite()) refuse_step(dt_, stable_step(everything(), v_start_, control));
  if (stage_count_ == stages_.size()) stages_.emplace_back();
  Stage& stage = stages_[stage_count_++];
  stage.q = q;
  stage.v = v;
  const JointForces& forces = equations_.forces(q, v, control, slopes != nullptr);
  heed_contact();
  const VecX<double>& a = equations_.acceleration(q, v, forces.tau);
  if (slopes == nullptr) return a;
  const MatX<double>& by_parameters =
      equations_.parameter_slopes([&](const Tree& of, TreeScratch& with) -> VecX<double> {
        return inverse_dynamics<double>(of, q, v, a, with);
      });
  TreeScratch& scratch = equations_.scratch();
  const MatX<double>& G = equations_.coordinates().independent();
  const MatX<double>& dtau = inverse_dynamics_derivatives<double>(tree(), q, v, a, scratch);
  const auto nv = static_cast<Eigen::Index>(tree().nv());
  const Eigen::LLT<MatX<double>> M(G.transpose() * scratch.mass_matrix * G);
  slopes->by_q = G * M.solve(G.transpose() * (forces.dtau_dq - dtau.leftCols(nv)));
  slopes->by_v = G * M.solve(G.transpose() * (forces.dtau_dv - dtau.rightCols(nv)));
  slopes->by_input.resize(nv, inputs());
  slopes->by_input.leftCols(nv) = G * M.solve(G.transpose());
  if (by_parameters.cols() > 0)
    slopes->by_input.rightCols(by_parameters.cols()) = G * M.solve(G.transpose() * by_parameters);
  return a;
}

}  // namespace abut::dynamics
