#pragma once

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/system_tree.h"

namespace abut::dynamics {

// Returns second derivatives of a step with respect to the state, along one direction: Hessian-vector
// products for all components of the next state at once. x is as in StepDerivatives, (tangent; velocity) of
// the ni independent degrees of freedom, in the charts of the state and of the next state, so that
//   products.state(i, k) = sum over l of d^2 x'_i / dx_k dx_l direction_l     (2 ni, 2 ni)
// comes from a Hessian that is symmetric in k and l; `force` and `parameter` are the mixed derivatives with
// those columns.
//
// They are fourth-order differences of the first derivatives, from four steps with derivatives, accurate to
// about 1e-8 of the largest entry where contact is smooth over 2e-6 of `direction`, scaled to a largest entry
// of 1. Of trees under `midpoint`, whose first derivatives are differences themselves
// (Integrator::derivative_error), they are accurate to about 1e-3, to 2e-2 where joints are nearly at rest.
// `status` and `kinks` are those of all four; also kNotConverged where differences of second and of fourth
// order disagree (by 1e-2 of the largest entry of `state`), as at a jump, and where the four have different
// numbers of parts (StepReport::substeps) or, of such trees, of contacts. Throws InvalidInput for a direction
// that does not have 2 ni finite entries and as Integrator::step, and std::logic_error where the integrator
// has no derivatives.
StepDerivatives second_derivatives(Integrator& integrator, const SystemTree& tree, const State& state,
                                   const Control& control, const VecX<double>& direction);

}  // namespace abut::dynamics
