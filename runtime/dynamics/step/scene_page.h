#pragma once

#include <filesystem>
#include <string>

#include "runtime/dynamics/step/recording.h"

namespace abut::dynamics {

// A web page that plays a recording of a scene: one file, nothing loaded from anywhere. It draws with a
// z-buffer of its own on a plain canvas; drag to turn, wheel to zoom, space to stop. Throws InvalidInput for
// a recording without frames or of another number of bodies.
std::string scene_page(const Scene& scene, const Recording& recording);

// The same as a file, whole or not at all. Throws IoError too.
void write_scene_page(const Scene& scene, const Recording& recording, const std::filesystem::path& file);

}  // namespace abut::dynamics
