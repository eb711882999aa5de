#pragma once

#include "runtime/cli/quantity.h"

// Distance, witness points and normal of two bodies by a distance model, without and with derivatives; volume
// in common.
namespace abut::cli {

std::unique_ptr<Quantity> make_separation(std::string_view method, const QuantityOptions& options);

// Of the first distance model.
std::vector<std::string_view> derivative_methods();
std::vector<SettingInfo> derivative_settings(std::string_view method);
std::unique_ptr<Quantity> make_derivative(std::string_view method, const QuantityOptions& options);

// Of those that smooth the bodies, and the models that have a smoothed form.
std::vector<std::string_view> smoothed_models();
std::vector<std::string_view> smoothed_methods();
std::unique_ptr<Quantity> make_smoothed_derivative(std::string_view method, const QuantityOptions& options);

// Volume in common of two surfaces.
std::unique_ptr<Quantity> make_overlap_volume(std::string_view method, const QuantityOptions& options);

}  // namespace abut::cli
