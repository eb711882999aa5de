#pragma once

#include "runtime/proximity/distance_model.h"

// The distance model of convex hulls, whose derivatives come from the table of estimators.
namespace abut::proximity {

std::vector<std::string_view> hull_methods();  // names of the estimators
std::vector<SettingInfo> hull_settings(std::string_view method);
std::unique_ptr<DistanceModel> make_hull_model(std::string_view method, const SettingValues& settings);

}  // namespace abut::proximity
