#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/settings.h"
#include "runtime/dynamics/tree/tree.h"
#include "runtime/math/pose.h"

// The scene that a simulation starts from: rigid bodies made of shapes, and fixed shapes around them.
namespace abut::dynamics {

// A part of a body or of the fixed world: a primitive or an asset with a surface. Only fixed shapes may be
// half-spaces.
struct Shape {
  body::Geometry geometry;       // in its own frame S
  Pose<double> X_BS;             // of S in the body's frame; in the world for a fixed shape
  body::Material material = {};  // of this shape only
};

// The joint that carries a body that does not move freely. The body is then a link L of a tree (tree/tree.h).
struct BodyJoint {
  std::int32_t parent = -1;  // index of the body that carries it, which comes before it; -1: the world
  Joint joint;               // its X_PJ is in the parent's link frame, which is B for a free parent
  Pose<double> X_LB;         // the body's frame B in its link's frame L
  VecX<double> q, v;         // initial coordinates and velocities (tree.h); empty: zero
};

// A rigid body. Its frame B has its origin in the centre of mass and its axes along the principal axes of
// inertia. Pose and velocity of a body with a joint follow from the joint's coordinates and velocities.
struct Body {
  std::string name;                             // used in results and messages
  double mass = 0;                              // kg, > 0; >= 0 with a joint, as are the moments
  Vec3<double> inertia = Vec3<double>::Ones();  // principal moments, kg m^2, > 0
  Vec3<double> p_WB = Vec3<double>::Zero();     // m
  std::array<double, 4> q_WB{1, 0, 0, 0};       // unit quaternion (w, x, y, z)
  Vec3<double> v_WB = Vec3<double>::Zero();     // m/s
  Vec3<double> w_WB_W = Vec3<double>::Zero();   // rad/s, in the world's axes
  std::vector<Shape> shapes;                    // fixed to it
  std::optional<BodyJoint> joint;               // empty: the body moves freely
  std::int32_t group = 0;  // bodies of one group do not collide with one another; 0 is no group
};

// Makes a body of one asset with uniform density, kg/m^3 (> 0), with the object's frame O at X_WO. Mass and
// moments are those of the asset, B is in its centre of mass along the principal axes, and shapes[0].X_BS is
// the pose of O in B. Throws InvalidInput for an invalid density, pose or asset.
Body object_body(const std::string& name, const body::Geometry& asset, double density,
                 const Pose<double>& X_WO);

// The contact model for some pairs of bodies, for integrators with contact forces. A and B each name a body,
// a robot (all bodies called NAME/...), or `world`, the fixed shapes.
struct ContactChoice {
  std::string A, B;        // names of a body or a robot, or kWorld
  std::string model;       // name of a model of contact/model.h that offers a wrench
  SettingValues settings;  // of the model; settings not listed have their defaults
};

// Whether a name in a ContactChoice refers to the body of this name, or to the robot that it belongs to.
bool means(const std::string& name, const std::string& body);
inline constexpr const char* kWorld = "world";  // the name of the fixed shapes

// The input of a simulation: bodies, fixed shapes, and how they interact.
struct Scene {
  Vec3<double> gravity = Vec3<double>::Zero();  // m/s^2
  double duration = 0;                          // intended length of the simulation, s
  std::vector<Shape> fixed;                     // shapes that do not move
  std::vector<Body> bodies;                     // parents before the bodies that they carry
  // Pairs of bodies (indices) that do not collide, in addition to those of one group and those that a joint
  // connects.
  std::vector<std::pair<std::int32_t, std::int32_t>> apart;
  // Where several choices apply to a pair the last one counts; where none does, the simulation's model.
  std::vector<ContactChoice> contacts;
  std::vector<std::filesystem::path> robot_files;  // files that its robots were read from, assets included
  std::map<std::filesystem::path, body::Geometry> robot_assets;         // assets that robots' files name
  std::map<std::filesystem::path, std::filesystem::path> robot_meshes;  // their mesh of each asset's name
  std::vector<std::string> warnings;  // inertias of its robots that no solid can have, used unchanged

  // Calls visit(shape) for all shapes, fixed ones first.
  template <class Visit>
  void for_each_shape(Visit&& visit) {
    for (Shape& shape : fixed) visit(shape);
    for (Body& body : bodies)
      for (Shape& shape : body.shapes) visit(shape);
  }
  // Gives all shapes one material.
  void set_material(const body::Material& material) {
    for_each_shape([&](Shape& shape) { shape.material = material; });
  }
};

// Throws InvalidInput, naming the body and the number, unless every number is finite, materials are valid
// (body.h), masses and moments are positive and satisfy the triangle inequality of a solid (to 1 %; with a
// joint they need only be >= 0), quaternions have unit length (to 1e-9), no body is called kWorld, shapes are
// of the kinds listed at Shape, assets have a surface, joints' parents come before them and their coordinates
// fit, `apart` refers to existing bodies, and contact choices refer to existing bodies, models and settings.
// System checks what Tree requires of joints.
void require_valid(const Scene& scene);

// Checks one body or shape in the same way; `who` names it in messages.
void require_valid(const Body& body, const std::string& who);
void require_valid(const Shape& shape, const std::string& who);  // `who` names the body and the shape

// Checks a contact choice against the scene in the same way.
void require_valid(const ContactChoice& choice, const Scene& scene);

}  // namespace abut::dynamics
