#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "runtime/body/primitive.h"
#include "runtime/dynamics/tree/tree.h"

// Robots from URDF files (read with urdfdom).
//
//   const dynamics::Robot robot = dynamics::read_urdf("arm.urdf");
//   const dynamics::Tree tree(robot.links, {0, 0, -9.81});
namespace abut::dynamics {

// A mesh by its file.
struct Mesh {
  std::filesystem::path file;                 // exists
  Vec3<double> scale = Vec3<double>::Ones();  // of its coordinates; no entry is zero, negative ones mirror
};

// A shape that collides, fixed to a link.
struct CollisionShape {
  int link = -1;      // index in Robot::links
  Pose<double> X_LS;  // of the shape in the link's frame, m
  // In its own frame S.
  std::variant<body::Box<double>, body::Cylinder<double>, body::Sphere<double>, Mesh> shape;
};

// What a URDF file says of a robot.
struct Robot {
  std::string name;                        // as the file says
  std::vector<Link> links;                 // depth first; the first one is the root
  std::vector<CollisionShape> collisions;  // of all links
  std::vector<std::string> warnings;       // what no solid can be and is taken as it is, by link
};

// Reads links and joints, each joint type, mimic, limits, damping, friction, inertias and collision shapes.
// The root's joint to the world is of type `root_joint`: kFixed, or kFree for a robot that moves about. A
// mesh's name is relative to the file's folder; package://NAME/REST is REST in the nearest folder called NAME
// that stands in a folder above the file or is one of them. Moments that violate the triangle inequality are
// a warning.
//
// Throws IoError where the file cannot be read; InvalidInput, with the file and the element, for text that is
// no URDF, numbers that are not finite, links in a loop or without a way to the one root, a link with two
// parents, a mimic of nothing, meshes that are missing (all of them), a size that is not positive, and what
// Tree refuses.
// InvalidInput, too, where the library was built without urdfdom.
Robot read_urdf(const std::filesystem::path& file, JointType root_joint = JointType::kFixed);

}  // namespace abut::dynamics
