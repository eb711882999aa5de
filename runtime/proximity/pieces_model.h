#pragma once

#include "runtime/proximity/distance_model.h"

// The distance model of unions of convex pieces. Derivatives are those of the nearest pair of pieces, from
// the table of estimators.
namespace abut::proximity {

std::unique_ptr<DistanceModel> make_pieces_model(std::string_view method, const SettingValues& settings);

}  // namespace abut::proximity
