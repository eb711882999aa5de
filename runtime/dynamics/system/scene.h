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

// What a simulation starts from: rigid bodies made of shapes, and what stands still around them.
namespace abut::dynamics {

// Part of a body, or of the fixed world: a primitive or an asset with a surface. Only fixed shapes may be
// half-spaces.
struct Shape {
  body::Geometry geometry;       // in its own frame S
  Pose<double> X_BS;             // in the body's frame; in the world's for a fixed shape
  body::Material material = {};  // of this shape alone
};

// What carries a body that does not move freely. It is a link L of a tree (tree/tree.h).
struct BodyJoint {
  std::int32_t parent = -1;  // index of the body that carries it, which stands before it; -1: the world
  Joint joint;               // X_PJ in the frame of the parent's link, which is B for a free body
  Pose<double> X_LB;         // the body's frame in that of its link
  VecX<double> q, v;         // where it starts, as the joint's type says (tree.h); empty: zero
};

// The body's frame B lies in its centre of mass along its principal axes. Where a body with a joint stands
// and how it moves follows from the joint's coordinates.
struct Body {
  std::string name;                             // by which answers and messages name it
  double mass = 0;                              // kg, > 0; with a joint >= 0, as the moments
  Vec3<double> inertia = Vec3<double>::Ones();  // principal moments, kg m^2, > 0
  Vec3<double> p_WB = Vec3<double>::Zero();     // m
  std::array<double, 4> q_WB{1, 0, 0, 0};       // unit quaternion (w, x, y, z)
  Vec3<double> v_WB = Vec3<double>::Zero();     // m/s
  Vec3<double> w_WB_W = Vec3<double>::Zero();   // rad/s, in the world's axes
  std::vector<Shape> shapes;                    // fixed to it
  std::optional<BodyJoint> joint;               // none: it moves freely
  std::int32_t group = 0;  // bodies of one group do not meet one another, but for group 0
};

// A body that is one asset of even density (kg/m^3, > 0): its mass and moments are the asset's, its frame
// lies in the centre of mass along the principal axes, and shapes[0].X_BS is the pose of the object's frame
// in it. Stands with the object's frame in X_WO. Throws InvalidInput for a bad density, pose or asset.
Body object_body(const std::string& name, const body::Geometry& asset, double density,
                 const Pose<double>& X_WO);

// The contact model of some pairs, of integrators that take contact as forces. A and B are each a body, a
// robot (the bodies called NAME/...), or `world`: what is fixed.
struct ContactChoice {
  std::string A, B;        // names; a body's, a robot's or kWorld
  std::string model;       // a row of contact/model.h that offers a wrench
  SettingValues settings;  // of the model; the others have their defaults
};

// Whether a name in a ContactChoice means a body of this name.
bool means(const std::string& name, const std::string& body);
inline constexpr const char* kWorld = "world";  // name of what is fixed

// What a simulation starts from: what moves, what is fixed, and what acts between them.
struct Scene {
  Vec3<double> gravity = Vec3<double>::Zero();  // m/s^2
  double duration = 0;                          // s: how long the scene is meant to run
  std::vector<Shape> fixed;                     // shapes that do not move
  std::vector<Body> bodies;                     // parents before the bodies that they carry
  // Bodies (indices) that do not meet, beside those of one group and those that a joint connects.
  std::vector<std::pair<std::int32_t, std::int32_t>> apart;
  // Of a pair that several mean, the last one counts; pairs that none means have the simulation's model.
  std::vector<ContactChoice> contacts;
  std::vector<std::filesystem::path> robot_files;  // that its robots were read from, assets included
  std::map<std::filesystem::path, body::Geometry> robot_assets;  // those that robots' files name
  std::vector<std::string> warnings;  // what its robots have that no solid can, taken as it is

  // All shapes, fixed ones first.
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
// (body.h), masses and moments are positive and obey the triangle inequality of a solid (to 1 %; not those
// of a body with a joint), quaternions have unit length (to 1e-9), no body is called kWorld, shapes are of
// the kinds above, assets have a surface, joints' parents stand before them and their coordinates fit, pairs
// that do not meet are of bodies that there are, and contact choices are of bodies, models and settings that
// there are. What a tree asks of its joints: System.
void require_valid(const Scene& scene);

// The same for one body or shape; `who` names it in the message.
void require_valid(const Body& body, const std::string& who);
void require_valid(const Shape& shape, const std::string& who);  // `who`: the body whose it is

// The same for a choice of the scene's.
void require_valid(const ContactChoice& choice, const Scene& scene);

}  // namespace abut::dynamics
