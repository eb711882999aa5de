#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// v' = v + h a(q, v), then q' by v' (tree/euler.h): of first order, without drift of the energy in what
// swings. Contact models and joints act as forces; stable where h is well below the period of the stiffest of
// them over 2 pi. Offers derivatives.
std::unique_ptr<Integrator> make_semi_implicit(const System& system, const StepConfig& config);

}  // namespace abut::dynamics
