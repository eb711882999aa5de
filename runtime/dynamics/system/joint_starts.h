#pragma once

#include <string>
#include <vector>

#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// Returns one line for each joint of a valid scene that starts beyond its limits, with name, position, limits
// and units. Most are mistakes, because the first step throws such a joint back.
std::vector<std::string> starts_beyond_limits(const Scene& scene);

}  // namespace abut::dynamics
