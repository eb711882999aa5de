#pragma once

#include "runtime/cli/quantity.h"

// Contact wrenches with second derivatives, for the contact models that have them.
namespace abut::cli {

// Names of the models of the contact-model table whose wrench has second derivatives.
std::vector<std::string_view> wrench_hessian_models();
std::unique_ptr<Quantity> make_wrench_hessian(std::string_view model, const QuantityOptions& options);

}  // namespace abut::cli
