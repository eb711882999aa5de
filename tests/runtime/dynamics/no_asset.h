#pragma once

#include <string>

#include "runtime/body/geometry.h"
#include "runtime/core/error.h"

namespace abut::test {

// For scenes without assets (read_scene).
inline body::Geometry no_asset(const std::string& name) { throw InvalidInput("no asset '" + name + "'"); }

}  // namespace abut::test
