#include "runtime/dynamics/step/tree_integrator.h"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <sstream>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/contact_stage.h"
#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/fixed_axes.h"

namespace abut::dynamics {
namespace {

// Of pairs of bodies within one step: contact may throw a body at what it was too slow for.
constexpr int kMaxSearches = 3;

// Factor by which a step makes a body faster, beyond half of what gravity does, where its stability is looked
// into. Beyond the longest stable step by 1 % (semi_implicit) or 4 % (rk4), a mode may grow by less.
constexpr double kFaster = 1.1;

bool beyond_a_limit(const Tree& tree, const VecX<double>& q) {
  for (int i = 0; i < tree.link_count(); ++i) {
    if (tree.end_v(i) - tree.first_v(i) != 1) continue;
    const Joint& joint = tree.link(i).joint;
    const double at = q[tree.first_q(i)];
    if (at < joint.lower || at > joint.upper) return true;
  }
  return false;
}

[[noreturn]] void refuse_step(double dt, double stable_dt) {
  std::ostringstream what;
  what << "simulation: a joint has left the finite numbers; ";
  const bool known = stable_dt > 1e-6 * dt;  // else what is asked about has left the finite numbers itself
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
  start_ = state;
  coordinates.coordinates(state, q_, v_);
  coordinates.place(q_, v_, equations_.scratch(), start_);
  equations_.find(start_, control, dt_);
  next_ = start_;
  for (int k = 1;; ++k) {
    report_ = {};
    report_.penetration = std::numeric_limits<double>::quiet_NaN();
    coordinates.coordinates(start_, q_, v_);
    v_start_ = v_;
    stage_count_ = 0;
    covered_ = true;
    contact_ = Status::kOk;
    fastest_.assign(state.bodies.size(), Vec6<double>::Zero());
    if (slopes != nullptr) *slopes = first_slopes();
    advance(q_, v_, control, slopes);
    if (!q_.allFinite() || !v_.allFinite()) refuse_step(dt_, stable_step(v_start_, control));
    coordinates.place(q_, v_, equations_.scratch(), next_);
    if (k == kMaxSearches || covered_) break;
    equations_.find(start_, control, dt_, fastest_);
  }
  report_.missed_contacts = !covered_;
  if (!covered_ || contact_ == Status::kNotConverged) report_.solver.status = Status::kNotConverged;
  report_.contacts = equations_.contacts();
  measure(coordinates.system(), next_, report_);
  if (stage_count_ > 0 && (at_a_limit() || faster(start_, next_)))
    if (const double longest = stable_step(v_ - v_start_, control); longest < dt_)
      report_.stable_dt = longest;
  state = next_;
  return report_;
}

void TreeIntegrator::heed_contact() {
  covered_ = covered_ && equations_.covers(dt_);
  for (std::size_t i = 0; i < fastest_.size(); ++i) {
    const Vec6<double>& V = equations_.motions()[i].V_WB_W;
    fastest_[i][0] = std::max(fastest_[i][0], V.head<3>().norm());
    fastest_[i][3] = std::max(fastest_[i][3], V.tail<3>().norm());
  }
  if (const Status status = equations_.contact_status(); status != Status::kOk)
    if (contact_ != Status::kNotConverged) contact_ = status;
}

// The spring of a limit throws a joint back before it is fast.
bool TreeIntegrator::at_a_limit() const {
  for (std::size_t k = 0; k < stage_count_; ++k)
    if (beyond_a_limit(tree(), stages_[k].q)) return true;
  return false;
}

bool TreeIntegrator::faster(const State& before, const State& after) const {
  const System& system = equations_.coordinates().system();
  const double falling = dt_ * system.scene().gravity.norm();  // in a step, m/s
  for (std::size_t i = 0; i < system.body_count(); ++i)
    if (std::sqrt(system.kinetic_energy(after, i)) > kFaster * std::sqrt(system.kinetic_energy(before, i)) +
                                                         falling / 2 * std::sqrt(system.body(i).mass / 2))
      return true;
  return false;
}

// The least of all stages, s; of inertial forces where the step starts, as a step that they have made too
// fast has no end of them. Friction that is too stiff for the step chatters, with changes of the velocity
// that it bounds itself, and is left out. `change`, of the velocities in the step, is where the mode that
// fails has grown.
double TreeIntegrator::stable_step(const VecX<double>& change, const Control& control) {
  const MatX<double>& G = equations_.coordinates().independent();
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < stage_count_; ++k) {
    const auto& [q, v] = stages_[k];
    if (!q.allFinite() || !v.allFinite()) continue;
    const JointForces& forces = equations_.forces_without_friction(q, v, control);
    const MatX<double> M = mass_matrix<double>(tree(), q, equations_.scratch());
    const auto symmetric = [&](const MatX<double>& slopes) -> MatX<double> {
      return -G.transpose() * (slopes + slopes.transpose()) / 2 * G;
    };
    const StiffMode mode =
        stiffest_mode(G.transpose() * M * G, symmetric(forces.dtau_dq), symmetric(forces.dtau_dv),
                      change(equations_.coordinates().mimics().independent_velocities()), dt_);
    longest = std::min(longest, longest_step(mode));
    if (k == 0) longest = std::min(longest, longest_step(inertial_rate(q, v, change)));
  }
  return longest;
}

// Of M dy/dt = -b(q, v), gravity left out, in axes that do not turn (fixed_axes.h): there small changes x, y
// of the motion go as x' = y, M y' = -K x - C y. Turning axes are no matter of the step.
double TreeIntegrator::inertial_rate(const VecX<double>& q, const VecX<double>& v,
                                     const VecX<double>& change) {
  TreeScratch& scratch = equations_.scratch();
  const MatX<double>& G = equations_.coordinates().independent();
  const Eigen::Index nv = G.rows();
  const VecX<double> rest = VecX<double>::Zero(nv);
  const VecX<double> weight = bias_force<double>(tree(), q, rest, scratch);
  const VecX<double> a = equations_.acceleration(q, v, weight);
  MatX<double> K = -inverse_dynamics_derivatives<double>(tree(), q, rest, rest, scratch).leftCols(nv);
  K += inverse_dynamics_derivatives<double>(tree(), q, v, a, scratch).leftCols(nv);
  const MatX<double>& M = scratch.mass_matrix;
  const FixedAxes here(tree(), rest);
  const FixedAxes::AccelerationSlopes of_y = here.acceleration_slopes(v, a);
  const MatX<double> C = scratch.dtau_dx.rightCols(nv) - M * of_y.by_v.sparseView();
  K += C * here.velocity_slopes(v).by_u.sparseView();
  K -= M * of_y.by_u.sparseView();
  return greatest_rate(G.transpose() * M * G, G.transpose() * K * G, G.transpose() * C * G,
                       change(equations_.coordinates().mimics().independent_velocities()), dt_);
}

// M a = tau(q, v) - b(q, v), so that M da = d(tau - M a - b) with a held there.
const VecX<double>& TreeIntegrator::accelerate(const VecX<double>& q, const VecX<double>& v,
                                               const Control& control, ForwardSlopes* slopes) {
  if (!q.allFinite() || !v.allFinite()) refuse_step(dt_, stable_step(v_start_, control));
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
