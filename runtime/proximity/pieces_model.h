#pragma once

#include "runtime/proximity/distance_model.h"

// Distances of unions of convex pieces, derivatives of the nearest pair of pieces by the table of estimators.
namespace abut::proximity {

std::unique_ptr<DistanceModel> make_pieces_model(std::string_view method, const SettingValues& settings);

}  // namespace abut::proximity
