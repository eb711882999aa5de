#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/dynamics/step/recording.h"

namespace abut::dynamics {

// What is drawn over everything, in the world's frame: a contact patch, the arrow of a force.
struct PageMark {
  std::vector<float> vertices;          // (vertices, 3) m
  std::vector<std::int32_t> triangles;  // (triangles, 3)
  std::array<int, 3> rgb{};             // 0 to 255
};

// A web page that plays a recording of a scene, or shows its one frame: one file, nothing loaded from
// anywhere. It draws with WebGL 2; drag or arrow keys turn, wheel or + - zoom, r resets, space plays and
// stops. Throws InvalidInput for a recording without frames or of another number of bodies.
std::string scene_page(const Scene& scene, const Recording& recording, std::span<const PageMark> marks = {});

// The same as a file, whole or not at all. Throws IoError too.
void write_scene_page(const Scene& scene, const Recording& recording, const std::filesystem::path& file);

}  // namespace abut::dynamics
