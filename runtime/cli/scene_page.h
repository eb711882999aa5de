#pragma once

#include <string>

#include "runtime/dynamics/frictional/recording.h"

namespace abut::cli {

// A web page that plays a recording of a scene: one file, nothing loaded from anywhere. It draws with a
// z-buffer of its own on a plain canvas; drag to turn, wheel to zoom, space to stop.
std::string scene_page(const dynamics::Scene& scene, const dynamics::Recording& recording);

}  // namespace abut::cli
