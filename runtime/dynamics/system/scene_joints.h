#pragma once

#include "runtime/dynamics/system/scene_file.h"
#include "runtime/dynamics/system/scene_lines.h"

// Readers for the entries of a scene file (scene_file.h) about joints and pairs of bodies. Each reads the
// current line after its keyword.
namespace abut::dynamics {

// A keyword of a joint in scene files, and the number that it sets.
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

// Reads the joint of the last body and returns that body's index.
std::size_t read_joint(SceneLines& line, Scene& scene);
// Adds the robot and returns the index of its first body.
std::size_t read_robot(SceneLines& line, Scene& scene, const AssetSource& assets,
                       const std::filesystem::path& robots);
// Change a joint, and return the index of its body.
std::size_t set_joint(SceneLines& line, Scene& scene);
std::size_t couple_joints(SceneLines& line, Scene& scene);
void keep_apart(SceneLines& line, Scene& scene);
void join_group(SceneLines& line, Scene& scene);
void choose_contact(SceneLines& line, Scene& scene);

}  // namespace abut::dynamics
