#pragma once

#include "runtime/dynamics/system/scene_file.h"
#include "runtime/dynamics/system/scene_lines.h"

// The entries of a scene file (scene_file.h) that are about joints, from the line at hand, after its keyword.
namespace abut::dynamics {

// Of the last body.
void read_joint(SceneLines& line, Scene& scene);
// Returns the index of the robot's first body.
std::size_t read_robot(SceneLines& line, Scene& scene, const AssetSource& assets);
void set_joint(SceneLines& line, Scene& scene);
void keep_apart(SceneLines& line, Scene& scene);

}  // namespace abut::dynamics
