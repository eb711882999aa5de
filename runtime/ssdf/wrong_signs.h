#pragma once

#include <string>

#include "runtime/body/geometry.h"

namespace abut::ssdf {

// Percent of the places within two spacings of the surface at which soft distances of an asset's points may
// have the wrong sign before the points are called too few. Of 15 YCB objects at 2,000 quads, cans and solid
// objects have at most 0.1, those made of sheets (pitcher, clamp, mug) 0.7 to 6; a plate of 1 mm with points
// 4 mm apart, which pulls in what is pressed on it, has 12.
inline constexpr double kWrongSignPercent = 0.3;

// Says of an asset whose points were measured to have more wrong signs than that, by name, how many and what
// to do: its soft distances, and forces of soft models, may have the wrong sign at thin walls. Empty for
// other assets, for those without that measure, and for primitives.
std::string wrong_sign_warning(const body::Geometry& geometry);

}  // namespace abut::ssdf
