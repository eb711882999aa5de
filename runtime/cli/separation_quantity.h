#pragma once

#include "runtime/cli/quantity.h"

// Quantities of two bodies: distance, witness points and normal by a distance model, with or without
// derivatives; overlap volume.
namespace abut::cli {

std::unique_ptr<Quantity> make_separation(std::string_view method, const QuantityOptions& options);

// Methods and settings of the first distance model.
std::vector<std::string_view> derivative_methods();
std::vector<SettingInfo> derivative_settings(std::string_view method);
std::unique_ptr<Quantity> make_derivative(std::string_view method, const QuantityOptions& options);

// Methods of the estimators that smooth the bodies, and models that have a smoothed form.
std::vector<std::string_view> smoothed_models();
std::vector<std::string_view> smoothed_methods();
std::unique_ptr<Quantity> make_smoothed_derivative(std::string_view method, const QuantityOptions& options);

// Volume of the intersection of two surfaces.
std::unique_ptr<Quantity> make_overlap_volume(std::string_view method, const QuantityOptions& options);

}  // namespace abut::cli
