#pragma once

#include <string>
#include <vector>

#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// One line for each joint of a valid scene that starts beyond its limits: name, place, limits, units. Most
// are mistakes: the first step throws such a joint back.
std::vector<std::string> starts_beyond_limits(const Scene& scene);

}  // namespace abut::dynamics
