#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// The classical method of Runge and Kutta, of fourth order also where bodies turn: it runs on the turn phi
// since the start of the step, phi' = Jr(phi)^-1 w [MuntheKaas1998], and on shifts in axes that do not turn
// (fixed_axes.h): what nothing acts on flies straight, however fast it spins. Contact models and joints act
// as forces, which are evaluated four times a step. Offers derivatives.
std::unique_ptr<Integrator> make_runge_kutta(const System& system, const StepConfig& config);

}  // namespace abut::dynamics
