#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/tree/tree.h"
#include "runtime/math/pose.h"

// What moves of a system, and what acts on it from outside.
namespace abut::dynamics {

// Where a body is and how it moves.
struct BodyState {
  Vec3<double> p_WB = Vec3<double>::Zero();                  // m
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();  // unit
  Vec3<double> v_WB = Vec3<double>::Zero();                  // m/s
  Vec3<double> L_W = Vec3<double>::Zero();                   // angular momentum about B's origin, kg m^2/s
};

// A contact's name from step to step.
struct ContactKey {
  std::uint32_t shape_A = 0, shape_B = 0;  // of all shapes: fixed ones first, then body after body
  std::uint64_t feature = 0;               // of this pair of shapes

  auto operator<=>(const ContactKey&) const = default;  // by shapes, then by feature
  // Whether it is between the same two shapes.
  bool same_shapes(const ContactKey& other) const {
    return shape_A == other.shape_A && shape_B == other.shape_B;
  }
};

// Impulse of a contact, which the next step's solver starts from.
struct ContactImpulse {
  ContactKey key;                             // of the contact
  Vec3<double> J_B_W = Vec3<double>::Zero();  // N s
};

// All that the next step depends on, beside the control.
struct State {
  std::vector<BodyState> bodies;  // in the scene's order
  // Coordinates and velocities of the bodies with joints, one body after another, as the joints' types say
  // (tree/tree.h). What `bodies` says of these bodies follows from them: SystemTree::place.
  VecX<double> q, v;                     // (nq) rad, m, unit quaternions; (nv) rad/s, m/s
  std::vector<ContactImpulse> impulses;  // of the last step, in the order of its contacts
};

// What acts on the bodies for one step beside gravity and contact.
struct Control {
  // (Moment about the centre of mass; force) on each body, in the world's axes, N m and N. Empty: none.
  std::span<const Vec6<double>> F_BBcm_W = {};
  // Force of each degree of freedom of State::v, N m or N. Empty: none.
  std::span<const double> joint_force = {};
  // Where the joints' springs or drives pull to, as State::q; only joints with a stiffness look at it. Empty:
  // where the scene starts them.
  std::span<const double> joint_target = {};
};

}  // namespace abut::dynamics
