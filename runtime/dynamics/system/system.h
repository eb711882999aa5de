#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/dynamics/system/scene.h"
#include "runtime/dynamics/system/state.h"

// A system of rigid bodies that move under gravity, contact and control.
//
//   const dynamics::System system(dynamics::read_scene("pile.scn", assets));
//   dynamics::State state = system.initial_state();
//   const auto integrator = dynamics::make_integrator(system, {.dt = 2e-3});
//   integrator->step(state, {});
namespace abut::dynamics {

// The constant data of a scene, as a handle to shared, immutable memory that is cheap to copy. Shapes are
// numbered with the fixed ones first, then body after body. For the search for contacts a fixed shape is a
// body of one shape; these "placed bodies" are numbered in the same order.
class System {
 public:
  // Throws InvalidInput as require_valid(scene) and Tree do.
  explicit System(Scene scene);

  const Scene& scene() const { return data_->scene; }                    // the scene given to the constructor
  const Body& body(std::size_t i) const { return scene().bodies[i]; }    // by index in the scene
  std::size_t body_count() const { return scene().bodies.size(); }       // without fixed shapes
  std::size_t fixed_count() const { return scene().fixed.size(); }       // number of fixed shapes
  std::size_t shape_count() const { return data_->shapes.size(); }       // fixed shapes and those of bodies
  const Shape& shape(std::size_t i) const { return *data_->shapes[i]; }  // fixed shapes first
  // Index of the first shape of each placed body, and one past the last shape.
  std::span<const std::int32_t> first_shape() const { return data_->first_shape; }
  // Returns the placed body that the shape belongs to.
  std::size_t placed_body_of_shape(std::size_t shape) const { return data_->body_of_shape[shape]; }

  bool has_joints() const { return data_->jointed; }  // whether any body has one
  // Index of the first coordinate of body i in State::q, and of its first velocity in State::v; the size of q
  // or v for i = body_count().
  Eigen::Index first_q(std::size_t i) const { return data_->joint_q[i]; }
  Eigen::Index first_v(std::size_t i) const { return data_->joint_v[i]; }  // in State::v
  // Whether contact between two placed bodies is possible: no joint connects them directly, neither `apart`
  // nor a group excludes the pair, and one of them can move.
  bool may_meet(std::size_t placed_A, std::size_t placed_B) const;

  // Returns the index in Scene::contacts of the choice for a pair of placed bodies, or -1 where there is
  // none.
  std::int32_t contact_choice(std::size_t placed_A, std::size_t placed_B) const;
  // Returns the class of a placed body. Bodies of one class have the same contact choices with every other
  // body.
  std::size_t contact_class(std::size_t placed) const { return data_->contact_class[placed]; }

  // Returns the state in which the scene starts, without impulses.
  State initial_state() const;

  // Returns the state with the poses and velocities of bodies on joints recomputed from its q and v. `state`
  // must be valid.
  State placed(const State& state) const;

  // Throws InvalidInput, naming the body or joint, where the sizes do not fit, a number is not finite, a
  // quaternion does not have unit length (to 1e-9), a contact's key names shapes that do not exist, or the
  // position of a mimicking joint does not follow from that of the other joint (to 1e-6).
  void require_valid(const State& state) const;
  // Throws InvalidInput where an array is neither empty nor has one entry for each body, degree of freedom or
  // coordinate, or a number is not finite.
  void require_valid(const Control& control) const;

  // Angular velocity of a body in the world's axes, rad/s.
  Vec3<double> angular_velocity(const State& state, std::size_t body) const;
  // Kinetic energy of a body, its joint's armature included, J.
  double kinetic_energy(const State& state, std::size_t body) const;
  // Potential energy of a body under gravity, zero at the world's origin, J.
  double potential_energy(const State& state, std::size_t body) const;

 private:
  struct Data {
    Scene scene;
    std::vector<const Shape*> shapes;
    std::vector<std::int32_t> first_shape;
    std::vector<std::size_t> body_of_shape;
    std::vector<Eigen::Index> joint_q, joint_v;             // first index of each body, and the end
    bool jointed = false, grouped = false;                  // whether any body has a joint, a group
    std::vector<bool> welded;                               // bodies that fixed joints hold to the world
    std::vector<std::size_t> contact_class;                 // of each placed body
    std::vector<std::vector<std::int32_t>> contact_choice;  // [class of A][class of B]
  };
  static void add_contact_choices(Data& data);
  static void add_joints(Data& data);
  void place_joints(State& state) const;
  void require_valid_joints(const State& state) const;
  std::shared_ptr<const Data> data_;
};

// Computes R diag(moments) R', which takes principal moments of inertia (or their inverses) to the world's
// axes.
inline Mat3<double> in_world(const Eigen::Quaterniond& q_WB, const Vec3<double>& moments) {
  const Mat3<double> R = q_WB.toRotationMatrix();
  return R * moments.asDiagonal() * R.transpose();
}

// Returns whether all numbers of the state are finite.
bool finite(const BodyState& state);

}  // namespace abut::dynamics
