#pragma once

#include <string>

#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// Returns a digest "xxh3-128:<32 hex digits>" of all data that the motion of a scene depends on; excludes,
// for example, its duration and the limits that no step enforces.
std::string digest(const Scene& scene);

}  // namespace abut::dynamics
