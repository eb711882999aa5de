#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"

namespace abut::dynamics {

// Makes the semi-implicit Euler integrator: v' = v + h a(q, v), then q' by v' (tree/euler.h). Of first order,
// without drift of the energy of oscillations. Contact models and joints act as forces; stable where h is
// well below the shortest of their periods over 2 pi. Has derivatives.
std::unique_ptr<Integrator> make_semi_implicit(const System& system, const StepConfig& config);

}  // namespace abut::dynamics
