#include "runtime/dynamics/step/integrator.h"

#include <sstream>

#include "runtime/core/error.h"
#include "runtime/core/table.h"
#include "runtime/dynamics/step/implicit_step.h"
#include "runtime/dynamics/step/kaufman_step.h"
#include "runtime/dynamics/step/midpoint.h"

namespace abut::dynamics {
namespace {

constexpr IntegratorRow kIntegrators[] = {
    {"midpoint", "contacts at the middle of the step; energy never rises", midpoint_settings, make_midpoint},
    {"published", "with explicit gyroscopic forces, as the paper has it [Kaufman2005]", kaufman_settings,
     make_kaufman_step},
    {"implicit", "forces of a contact model (--model) at the end of the step: stiff contact at long steps",
     implicit_settings, make_implicit_step},
};

}  // namespace

std::span<const IntegratorRow> integrators() { return kIntegrators; }

const IntegratorRow& find_integrator(std::string_view name) {
  return find_row(integrators(), "integrator", name);
}

std::unique_ptr<Integrator> make_integrator(const System& system, const StepConfig& config) {
  if (!(config.dt >= kLeastTimeStep && config.dt <= kGreatestTimeStep)) {
    std::ostringstream what;
    what << "simulation: the time step is " << config.dt << " s; it must be from " << kLeastTimeStep << " to "
         << kGreatestTimeStep << " s";
    throw InvalidInput(what.str());
  }
  return find_integrator(config.integrator).make(system, config);
}

State step(const System& system, const State& state, const Control& control, const StepConfig& config) {
  State next = state;
  make_integrator(system, config)->step(next, control);
  return next;
}

}  // namespace abut::dynamics
