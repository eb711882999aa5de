#pragma once

#include "runtime/cli/quantity.h"

// Contact wrenches of bodies at rest relative to each other, without and with derivatives.
namespace abut::cli {

// Names of the rows of the contact-model table that have a wrench.
std::vector<std::string_view> wrench_models();
std::unique_ptr<Quantity> make_wrench(std::string_view model, int threads);
std::unique_ptr<Quantity> make_wrench_derivative(std::string_view model, int threads);

}  // namespace abut::cli
