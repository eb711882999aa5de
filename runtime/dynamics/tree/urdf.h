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

// A mesh in a file.
struct Mesh {
  std::filesystem::path file;                 // exists
  Vec3<double> scale = Vec3<double>::Ones();  // scales its coordinates; never zero, negative entries mirror
};

// A collision shape fixed to a link.
struct CollisionShape {
  int link = -1;      // index in Robot::links
  Pose<double> X_LS;  // of the shape in the link's frame, m
  // The geometry in its own frame S.
  std::variant<body::Box<double>, body::Cylinder<double>, body::Sphere<double>, Mesh> shape;
};

// A robot as described by a URDF file.
struct Robot {
  std::string name;                        // as in the file
  std::vector<Link> links;                 // depth first; the first one is the root
  std::vector<CollisionShape> collisions;  // of all links
  std::vector<std::string> warnings;       // inertias that no solid can have, used unchanged; names the link
};

// Reads links and joints of all types with mimics, limits, damping, friction, inertias and collision shapes.
// The root's joint to the world is of type `root_joint`: kFixed, or kFree for a mobile robot. A mesh's file
// name is relative to the URDF file's folder; package://NAME/REST is resolved by find_in_packages
// (ros_package.h). Moments of inertia that violate the triangle inequality give a warning.
//
// Throws IoError where the file cannot be read. Throws InvalidInput, naming the file and the element, for
// text that is no URDF, numbers that are not finite, links in a loop or not connected to the one root, a link
// with two parents, a mimic of a joint that does not exist, missing meshes (it lists all), a size that is not
// positive, and whatever Tree rejects; also where the library was built without urdfdom.
Robot read_urdf(const std::filesystem::path& file, JointType root_joint = JointType::kFixed);

}  // namespace abut::dynamics
