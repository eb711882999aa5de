#pragma once

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/system_tree.h"

namespace abut::dynamics {

// Second derivatives of a step by the state, along one direction: Hessian-vector products for all components
// of the next state at once. x is as in StepDerivatives, (tangent; velocity) of the ni independent degrees of
// freedom, in the charts of the state and of the one after it, so that
//   products.state(i, k) = sum over l of d^2 x'_i / dx_k dx_l direction_l     (2 ni, 2 ni)
// is symmetric in the two arguments; `force` and `parameter` are the mixed ones with those columns.
//
// Differences of the fourth order of the exact first derivatives: four steps with derivatives. To about 1e-8
// of the largest entry where contact is smooth over 2e-6 of `direction`, scaled to a largest entry of 1.
// `status` and `kinks` are those of all four; kNotConverged, too, where these are made of different parts
// (StepReport::substeps), across which derivatives jump.
// Throws InvalidInput for a direction that has not 2 ni finite entries and as Integrator::step, and
// std::logic_error where the integrator offers no derivatives.
StepDerivatives second_derivatives(Integrator& integrator, const SystemTree& tree, const State& state,
                                   const Control& control, const VecX<double>& direction);

}  // namespace abut::dynamics
