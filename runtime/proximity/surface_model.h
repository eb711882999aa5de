#pragma once

#include "runtime/proximity/distance_model.h"

// Distances of the surfaces themselves, derivatives from the features that carry the witness points.
namespace abut::proximity {

std::vector<std::string_view> surface_methods();
std::vector<SettingInfo> surface_settings(std::string_view method);
std::unique_ptr<DistanceModel> make_surface_model(std::string_view method, const SettingValues& settings);

}  // namespace abut::proximity
