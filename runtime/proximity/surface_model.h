#pragma once

#include "runtime/proximity/distance_model.h"

// Distances of the surfaces themselves, derivatives from the features that carry the witness points.
namespace abut::proximity {

struct SurfaceConfig {
  double temperature = 2e-4;  // m: of the form that is smooth across regions (surface_smoothed.h)
};

inline constexpr Setting<SurfaceConfig> kSurfaceSettings[] = {
    {"temperature", "m", from_to(1e-12, 1e12),
     "how far beyond the nearest a region still counts, when smoothed",
     setting<SurfaceConfig, &SurfaceConfig::temperature>}};

std::vector<std::string_view> surface_methods();
std::vector<SettingInfo> surface_settings(std::string_view method);
std::unique_ptr<DistanceModel> make_surface_model(std::string_view method, const SettingValues& settings);

}  // namespace abut::proximity
