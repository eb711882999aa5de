#pragma once

#include "runtime/cli/quantity.h"

// Contact wrenches, without and with derivatives.
namespace abut::cli {

// Names of the rows of the contact-model table that have a wrench.
std::vector<std::string_view> wrench_models();
std::vector<SettingInfo> wrench_settings(std::string_view model);
std::unique_ptr<Quantity> make_wrench(std::string_view model, const QuantityOptions& options);
std::unique_ptr<Quantity> make_wrench_derivative(std::string_view model, const QuantityOptions& options);

}  // namespace abut::cli
