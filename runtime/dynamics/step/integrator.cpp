#include "runtime/dynamics/step/integrator.h"

#include <sstream>
#include <stdexcept>

#include "runtime/core/error.h"
#include "runtime/core/table.h"
#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/step/explicit_settings.h"
#include "runtime/dynamics/step/implicit_step.h"
#include "runtime/dynamics/step/kaufman_step.h"
#include "runtime/dynamics/step/midpoint.h"
#include "runtime/dynamics/step/runge_kutta.h"
#include "runtime/dynamics/step/semi_implicit.h"

namespace abut::dynamics {
namespace {

constexpr IntegratorRow kIntegrators[] = {
    {"midpoint", "contacts at the middle of the step; contact adds no energy; joints; derivatives", true,
     true, "coupled", midpoint_settings, make_midpoint},
    {"published", "with explicit gyroscopic forces, as the paper has it [Kaufman2005]", false, false,
     "published", kaufman_settings, make_kaufman_step},
    {"implicit",
     "forces of a contact model (--model) at the end of the step: stiff contact at long steps; joints; "
     "derivatives",
     true, true, "", implicit_settings, make_implicit_step},
    {"semi_implicit", "forces of a contact model at the start of the step; joints; derivatives", true, true,
     "", explicit_settings, make_semi_implicit},
    {"rk4", "forces of a contact model at four places of the step; joints; derivatives", true, true, "",
     explicit_settings, make_runge_kutta},
};

}  // namespace

std::span<const IntegratorRow> integrators() { return kIntegrators; }

const IntegratorRow& find_integrator(std::string_view name) {
  return find_row(integrators(), "integrator", name);
}

std::string_view solver_of(const StepConfig& config) {
  const IntegratorRow& row = find_integrator(config.integrator);
  if (!config.solver.empty()) find_contact_solver(config.solver);
  if (!row.uses_contact_solver() && !(config.solver.empty() && config.solver_settings.empty()))
    throw InvalidInput(
        "simulation: the integrator '" + config.integrator +
        "' takes no contact solver, but forces of a contact model: leave out the solver and its "
        "settings");
  return config.solver.empty() ? row.solver : config.solver;
}

std::unique_ptr<Integrator> make_integrator(const System& system, const StepConfig& config) {
  if (!(config.dt >= kLeastTimeStep && config.dt <= kGreatestTimeStep)) {
    std::ostringstream what;
    what << "simulation: the time step is " << config.dt << " s; it must be from " << kLeastTimeStep << " to "
         << kGreatestTimeStep << " s";
    throw InvalidInput(what.str());
  }
  const IntegratorRow& row = find_integrator(config.integrator);
  if (system.has_joints() && !row.takes_joints)
    throw InvalidInput(
        "simulation: the integrator '" + config.integrator +
        "' takes no joints, which the scene has; take one of: " +
        names_of(integrators(), [](const IntegratorRow& other) { return other.takes_joints; }));
  StepConfig complete = config;
  complete.solver = solver_of(config);
  return row.make(system, complete);
}

std::string_view to_string(StepKink::Kind kind) {
  constexpr std::string_view kWords[] = {"shape", "target", "opening", "sliding", "share", "energy", "depth"};
  return kWords[static_cast<std::size_t>(kind)];
}

bool all_finite(const StepDerivatives& derivatives) {
  return derivatives.state.allFinite() && derivatives.force.allFinite() && derivatives.parameter.allFinite();
}

void add_status(const StepDerivatives& other, StepDerivatives& derivatives) {
  if (other.status == Status::kNotConverged || derivatives.status == Status::kOk)
    derivatives.status = other.status;
  derivatives.kinks.insert(derivatives.kinks.end(), other.kinks.begin(), other.kinks.end());
}

const StepReport& Integrator::step(State&, const Control&, StepDerivatives&) {
  throw std::logic_error("this integrator offers no derivatives");
}

State step(const System& system, const State& state, const Control& control, const StepConfig& config) {
  State next = state;
  make_integrator(system, config)->step(next, control);
  return next;
}

}  // namespace abut::dynamics
