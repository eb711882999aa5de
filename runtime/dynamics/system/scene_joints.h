#pragma once

#include "runtime/dynamics/system/scene_file.h"
#include "runtime/dynamics/system/scene_lines.h"

// The entries of a scene file (scene_file.h) that are about joints and pairs of bodies, from the line at
// hand, after its keyword.
namespace abut::dynamics {

// A number of a joint in scene files.
struct JointWord {
  const char* keyword;
  double Joint::*member;
};
inline constexpr JointWord kJointWords[] = {
    {"lower", &Joint::lower},
    {"upper", &Joint::upper},
    {"damping", &Joint::damping},
    {"stiffness", &Joint::stiffness},
    {"friction", &Joint::friction},
    {"armature", &Joint::armature},
    {"velocity_limit", &Joint::velocity_limit},
    {"effort_limit", &Joint::effort_limit},
};

// Returns the last body's index, whose joint it is.
std::size_t read_joint(SceneLines& line, Scene& scene);
// Returns the index of the robot's first body.
std::size_t read_robot(SceneLines& line, Scene& scene, const AssetSource& assets,
                       const std::filesystem::path& robots);
// Return the index of the body whose joint it is.
std::size_t set_joint(SceneLines& line, Scene& scene);
std::size_t couple_joints(SceneLines& line, Scene& scene);
void keep_apart(SceneLines& line, Scene& scene);
void join_group(SceneLines& line, Scene& scene);
void choose_contact(SceneLines& line, Scene& scene);

}  // namespace abut::dynamics
