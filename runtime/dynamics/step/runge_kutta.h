#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// The classical method of Runge and Kutta, of fourth order also where bodies turn: it runs on the tangent u
// with q(t) = integrate(q, u) and u' = Jr(u)^-1 v [MuntheKaas1998]. Contact models and joints act as forces,
// which are evaluated four times a step. Offers derivatives.
std::unique_ptr<Integrator> make_runge_kutta(const System& system, const StepConfig& config);

}  // namespace abut::dynamics
