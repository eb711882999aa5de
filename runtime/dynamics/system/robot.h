#pragma once

#include <filesystem>
#include <functional>

#include "runtime/dynamics/system/scene.h"
#include "runtime/dynamics/tree/urdf.h"

// Adds robots to a scene as bodies with joints.
//
//   dynamics::add_robot(scene, "arm", dynamics::read_urdf("arm.urdf"), X_WR, asset_of);
namespace abut::dynamics {

// Makes a body of a link. Its frame B has its origin in the link's centre of mass and its axes along the
// principal axes.
Body link_body(const Link& link);

// Returns the geometry of a robot's mesh. Throws InvalidInput where there is none.
using MeshSource = std::function<body::Geometry(const Mesh& mesh)>;

// Appends the links of a robot, with its root's frame R at X_WR, as bodies called NAME/LINK with joints
// called NAME/JOINT. Links that are fixed to one another become one body. The bodies do not collide with one
// another. Returns the index of the first one. Throws InvalidInput where `meshes` does.
std::size_t add_robot(Scene& scene, const std::string& name, const Robot& robot, const Pose<double>& X_WR,
                      const MeshSource& meshes);

}  // namespace abut::dynamics
