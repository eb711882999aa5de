#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/dynamics/system/scene.h"
#include "runtime/dynamics/system/state.h"

// Rigid bodies that move under gravity, contact and control.
//
//   const dynamics::System system(dynamics::read_scene("pile.scn", assets));
//   dynamics::State state = system.initial_state();
//   const auto integrator = dynamics::make_integrator(system, {.dt = 2e-3});
//   integrator->step(state, {});
namespace abut::dynamics {

// What does not move of a scene: a shared, immutable handle. Shapes are numbered, the fixed ones first, then
// body after body. For the search for contacts a fixed shape is a body of one shape: these "placed bodies"
// are numbered in the same order.
class System {
 public:
  // Throws InvalidInput as require_valid(scene) and Tree do.
  explicit System(Scene scene);

  const Scene& scene() const { return data_->scene; }                    // that it was made of
  const Body& body(std::size_t i) const { return scene().bodies[i]; }    // of the scene, by index
  std::size_t body_count() const { return scene().bodies.size(); }       // of the scene, fixed shapes apart
  std::size_t fixed_count() const { return scene().fixed.size(); }       // of shapes that do not move
  std::size_t shape_count() const { return data_->shapes.size(); }       // of fixed ones and of bodies
  const Shape& shape(std::size_t i) const { return *data_->shapes[i]; }  // fixed ones first
  // Of each placed body the first shape, and the end.
  std::span<const std::int32_t> first_shape() const { return data_->first_shape; }
  // The placed body that has the shape.
  std::size_t placed_body_of_shape(std::size_t shape) const { return data_->body_of_shape[shape]; }

  bool has_joints() const { return data_->jointed; }  // whether any body has one
  // Of body i: where its coordinates begin in State::q and its velocities in State::v; of i = body_count():
  // how many there are.
  Eigen::Index first_q(std::size_t i) const { return data_->joint_q[i]; }
  Eigen::Index first_v(std::size_t i) const { return data_->joint_v[i]; }  // in State::v
  // Whether two placed bodies may touch: no joint connects them, nothing keeps them apart, and one of them
  // can move.
  bool may_meet(std::size_t placed_A, std::size_t placed_B) const;

  // Which of the scene's contact choices a pair of placed bodies has; -1: none.
  std::int32_t contact_choice(std::size_t placed_A, std::size_t placed_B) const;
  // Placed bodies of one class have the same choices with every other body.
  std::size_t contact_class(std::size_t placed) const { return data_->contact_class[placed]; }

  // The scene's, without impulses.
  State initial_state() const;

  // The state with its bodies on joints where, and moving as, q and v say. `state` must be valid.
  State placed(const State& state) const;

  // Throws InvalidInput, naming the body, where the sizes do not fit, a number is not finite, a quaternion
  // has not unit length (to 1e-9), a contact's key is of shapes that there are not, or a mimicking joint is
  // not where it must be (to 1e-6).
  void require_valid(const State& state) const;
  // Where there is neither none nor one for each body, degree of freedom or coordinate, or a number is not
  // finite.
  void require_valid(const Control& control) const;

  // In the world's axes, rad/s.
  Vec3<double> angular_velocity(const State& state, std::size_t body) const;
  // With that of its joint's armature, J.
  double kinetic_energy(const State& state, std::size_t body) const;
  // Of gravity, zero at the world's origin, J.
  double potential_energy(const State& state, std::size_t body) const;

 private:
  struct Data {
    Scene scene;
    std::vector<const Shape*> shapes;
    std::vector<std::int32_t> first_shape;
    std::vector<std::size_t> body_of_shape;
    std::vector<Eigen::Index> joint_q, joint_v;             // first ones of each body, and the end
    bool jointed = false, grouped = false;                  // any body
    std::vector<bool> welded;                               // of each body: joints leave it no motion
    std::vector<std::size_t> contact_class;                 // of each placed body
    std::vector<std::vector<std::int32_t>> contact_choice;  // of two classes
  };
  static void add_contact_choices(Data& data);
  static void add_joints(Data& data);
  void place_joints(State& state) const;
  void require_valid_joints(const State& state) const;
  std::shared_ptr<const Data> data_;
};

// R diag(moments) R': of inertia, or of its inverse, in the world's axes.
inline Mat3<double> in_world(const Eigen::Quaterniond& q_WB, const Vec3<double>& moments) {
  const Mat3<double> R = q_WB.toRotationMatrix();
  return R * moments.asDiagonal() * R.transpose();
}

// Whether all its numbers are finite.
bool finite(const BodyState& state);

}  // namespace abut::dynamics
