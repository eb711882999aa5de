#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/dynamics/step/recording.h"

namespace abut::dynamics {

// A mark that is drawn over everything else, such as a contact patch or the arrow of a force, in the world's
// frame.
struct PageMark {
  std::vector<float> vertices;          // (vertices, 3) m
  std::vector<std::int32_t> triangles;  // (triangles, 3)
  std::array<int, 3> rgb{};             // 0 to 255
};

// Returns a web page that plays a recording of a scene, or shows its only frame: one file that loads nothing
// else. It draws with WebGL 2; dragging or the arrow keys rotate the view, the wheel or + - zoom, r resets,
// space plays and stops. Throws InvalidInput for a recording without frames or with another number of bodies.
std::string scene_page(const Scene& scene, const Recording& recording, std::span<const PageMark> marks = {});

// Writes the page as a file, either complete or not at all. Also throws IoError.
void write_scene_page(const Scene& scene, const Recording& recording, const std::filesystem::path& file);

}  // namespace abut::dynamics
