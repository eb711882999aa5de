#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Makes the classical Runge-Kutta integrator, of fourth order also where bodies rotate: it integrates the
// rotation phi since the start of the step, phi' = Jr(phi)^-1 w with the right Jacobian Jr [MuntheKaas1998],
// and translations in axes that do not rotate (fixed_axes.h), so that a body without forces flies straight,
// however fast it spins. Contact models and joints act as forces, which are evaluated four times a step. Has
// derivatives.
std::unique_ptr<Integrator> make_runge_kutta(const System& system, const StepConfig& config);

}  // namespace abut::dynamics
