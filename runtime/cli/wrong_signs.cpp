#include "runtime/cli/wrong_signs.h"

#include "runtime/cli/point_query.h"
#include "runtime/cli/say.h"
#include "runtime/ssdf/wrong_signs.h"

namespace abut::cli {

WrongSigns::WrongSigns(std::string_view method, const SettingValues& settings) {
  const bool potential = method == "soft_potential";
  std::string_view field = potential ? "auto" : "points";
  for (const SettingValue& value : settings)
    if (value.name == "field") field = value.text;
  from_points_ = (potential || method == "soft_minimum" || method == kPointQuantity) && field != "grid";
  from_grids_ = field == "auto";
}

void WrongSigns::note(const body::Geometry& geometry) {
  if (!from_points_ || (from_grids_ && geometry.grid().brick_count > 0)) return;
  if (std::string warning = ssdf::wrong_sign_warning(geometry); !warning.empty())
    warnings_.insert(std::move(warning));
}

void WrongSigns::print(std::string_view program) const {
  for (const std::string& warning : warnings_) say(stderr, "{}: warning: {}\n", program, warning);
}

void warn_of_wrong_signs(const dynamics::Scene& scene, std::string_view model,
                         const SettingValues& settings) {
  WrongSigns wrong_signs(model, settings);
  for (const dynamics::Shape& shape : scene.fixed) wrong_signs.note(shape.geometry);
  for (const dynamics::Body& body : scene.bodies)
    for (const dynamics::Shape& shape : body.shapes) wrong_signs.note(shape.geometry);
  wrong_signs.print("abut-sim");
}

}  // namespace abut::cli
