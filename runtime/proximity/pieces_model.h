#pragma once

#include "runtime/proximity/blend.h"
#include "runtime/proximity/distance_model.h"

// The distance model of unions of convex pieces. Derivatives are those of the nearest pair of pieces, from
// the table of estimators; the smoothed form has the exact ones of the pieces, whatever the method.
namespace abut::proximity {

struct PiecesConfig {
  double temperature = kDefaultTemperature;  // m: of the distance that is smooth across pairs of pieces
};

inline constexpr Setting<PiecesConfig> kPiecesSettings[] = {
    kTemperatureSetting<PiecesConfig, &PiecesConfig::temperature>};

// Those of the estimator and those of the smoothed form.
std::vector<SettingInfo> pieces_settings(std::string_view method);
std::unique_ptr<DistanceModel> make_pieces_model(std::string_view method, const SettingValues& settings);

}  // namespace abut::proximity
