#pragma once

#include <string>

#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// "xxh3-128:<32 hex digits>" of all that the motion of a scene depends on: everything but its duration.
std::string digest(const Scene& scene);

}  // namespace abut::dynamics
