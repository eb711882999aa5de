#pragma once

#include <sstream>
#include <string>

#include "runtime/body/geometry.h"
#include "runtime/core/error.h"
#include "runtime/dynamics/system/scene_file.h"

namespace abut::test {

// For scenes without assets (read_scene).
inline body::Geometry no_asset(const std::string& name) { throw InvalidInput("no asset '" + name + "'"); }

inline dynamics::Scene scene_of(const std::string& text) {
  std::istringstream in(text);
  return dynamics::read_scene(in, "test", no_asset);
}

}  // namespace abut::test
