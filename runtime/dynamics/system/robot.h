#pragma once

#include <filesystem>
#include <functional>

#include "runtime/dynamics/system/scene.h"
#include "runtime/dynamics/tree/urdf.h"

// Robots as bodies of a scene.
//
//   dynamics::add_robot(scene, "arm", dynamics::read_urdf("arm.urdf"), X_WR, asset_of);
namespace abut::dynamics {

// A link as a body: its frame lies in the link's centre of mass along the principal axes.
Body link_body(const Link& link);

// The geometry of a robot's mesh. Throws InvalidInput where there is none.
using MeshSource = std::function<body::Geometry(const Mesh& mesh)>;

// Appends the links of a robot whose root's frame R stands in X_WR, as bodies called NAME/LINK with joints
// called NAME/JOINT. Links that are fixed to others are one body with them. The bodies do not meet one
// another. Returns the index of the first one. Throws InvalidInput as MeshSource.
std::size_t add_robot(Scene& scene, const std::string& name, const Robot& robot, const Pose<double>& X_WR,
                      const MeshSource& meshes);

}  // namespace abut::dynamics
