#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/tree/tree.h"
#include "runtime/math/pose.h"

// The state of a system, and the control that acts on it from outside.
namespace abut::dynamics {

// Pose and motion of a body.
struct BodyState {
  Vec3<double> p_WB = Vec3<double>::Zero();                  // m
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();  // unit
  Vec3<double> v_WB = Vec3<double>::Zero();                  // m/s
  Vec3<double> L_W = Vec3<double>::Zero();                   // angular momentum about B's origin, kg m^2/s
};

// Identifies a contact from step to step.
struct ContactKey {
  std::uint32_t shape_A = 0, shape_B = 0;  // indices of System::shape
  std::uint64_t feature = 0;               // identifies the point within this pair of shapes

  auto operator<=>(const ContactKey&) const = default;  // by shapes, then by feature
  // Whether both contacts are between the same two shapes.
  bool same_shapes(const ContactKey& other) const {
    return shape_A == other.shape_A && shape_B == other.shape_B;
  }
};

// Impulse of a contact, from which the solver of the next step is warm-started.
struct ContactImpulse {
  ContactKey key;                             // of the contact
  Vec3<double> J_B_W = Vec3<double>::Zero();  // impulse on B, in the world's axes, N s
};

// All that the next step depends on, apart from the control.
struct State {
  std::vector<BodyState> bodies;  // in the scene's order
  // Coordinates and velocities of the bodies with joints, one body after another, as defined by the joints'
  // types (tree/tree.h). The entries of `bodies` for these bodies follow from them (SystemTree::place).
  VecX<double> q, v;                     // (nq) rad, m, unit quaternions; (nv) rad/s, m/s
  std::vector<ContactImpulse> impulses;  // of the last step, in the order of its contacts
};

// Forces and joint targets that act on the bodies for one step, in addition to gravity and contact.
struct Control {
  // Wrench (moment about the centre of mass; force) on each body, in the world's axes, N m and N. Empty:
  // none.
  std::span<const Vec6<double>> F_BBcm_W = {};
  // Force on each degree of freedom of State::v, N m or N. Empty: none.
  std::span<const double> joint_force = {};
  // Target positions of the joints' springs or drives, laid out as State::q; only joints with a stiffness use
  // them. Empty: the positions in which the scene starts.
  std::span<const double> joint_target = {};
};

}  // namespace abut::dynamics
