#pragma once

#include "runtime/proximity/blend.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/proximity/patch_derivative.h"

// The distance model of the surfaces themselves. Derivatives come from the features that carry the witness
// points, or from smooth patches about them.
namespace abut::proximity {

struct SurfaceConfig {
  double temperature =
      kDefaultTemperature;  // m: of the distance that is smooth across regions (surface_smoothed.h)
  Patch patch;              // of method `patch`
};

inline constexpr Setting<SurfaceConfig> kSurfaceSettings[] = {
    kTemperatureSetting<SurfaceConfig, &SurfaceConfig::temperature>};
inline constexpr Setting<SurfaceConfig> kPatchSettings[] = {
    kSurfaceSettings[0],
    {"reach", "m", from_to(1e-12, 1e12), "about the witness points in which the surfaces count, a deviation",
     setting<SurfaceConfig, &SurfaceConfig::patch, &Patch::reach>},
    {"radius", "m", from_to(1e-12, 1e12), "of curvature, the greatest: that of what is flat in the reach",
     setting<SurfaceConfig, &SurfaceConfig::patch, &Patch::radius>}};

std::vector<std::string_view> surface_methods();
std::vector<SettingInfo> surface_settings(std::string_view method);
std::unique_ptr<DistanceModel> make_surface_model(std::string_view method, const SettingValues& settings);

}  // namespace abut::proximity
