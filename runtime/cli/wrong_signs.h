#pragma once

#include <set>
#include <string>
#include <string_view>

#include "runtime/body/geometry.h"
#include "runtime/core/settings.h"
#include "runtime/dynamics/system/scene.h"

namespace abut::cli {

// Collects what ssdf::wrong_sign_warning says of the assets whose points a command uses.
class WrongSigns {
 public:
  // `method`: a contact model, or kPointQuantity; one that uses no soft distances warns of nothing.
  WrongSigns(std::string_view method, const SettingValues& settings);

  void note(const body::Geometry& geometry);

  // Prints a line for each asset to standard error.
  void print(std::string_view program) const;

 private:
  bool from_points_, from_grids_;  // soft distances come from points; from an asset's grid where it has one
  std::set<std::string> warnings_;
};

// The same for the shapes of a scene, of abut-sim.
void warn_of_wrong_signs(const dynamics::Scene& scene, std::string_view model, const SettingValues& settings);

}  // namespace abut::cli
