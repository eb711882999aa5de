#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "runtime/core/status.h"
#include "runtime/dynamics/system/state.h"
#include "runtime/dynamics/tree/tree.h"
#include "runtime/math/pose.h"

// A velocity-level contact problem of rigid bodies: what the time step hands to a contact solver, and what
// the solver hands back. Everything is in the world's axes; a body's twist and wrench are taken at its centre
// of mass.
namespace abut::dynamics {

// In place of a body's index: the world, or any body that nothing moves.
inline constexpr std::int32_t kFixed = -1;

// Bodies that joints connect: generalised velocities v of n independent degrees of freedom.
struct ContactTree {
  // (n, n): v changes by its inverse times a generalised impulse. Inertia, and what resists within the step.
  Eigen::LLT<MatX<double>> inertia;
  VecX<double> v;  // (n), as ContactBody::V_WB_W
};

// Columns belong to the generalised velocities of a tree.
using TreeJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

// Inertia of one body, and its twist with all forces but contact applied. A body of a tree has no inertia of
// its own; its twist follows the tree's velocities.
struct ContactBody {
  Vec3<double> p_WBcm = Vec3<double>::Zero();             // centre of mass, m
  Mat3<double> inverse_inertia_W = Mat3<double>::Zero();  // about the centre of mass, 1/(kg m^2)
  double inverse_mass = 0;                                // 1/kg
  Vec6<double> V_WB_W = Vec6<double>::Zero();  // (w; v), rad/s and m/s: before the contacts' impulses
  std::int32_t tree = -1;                      // that it is on; -1: none
  const TreeJacobian* J_W = nullptr;           // of a body on a tree: V_WB_W = J v
};

// One contact between bodies A and B (indices; at most one of them kFixed).
//
// The relative velocity at the contact is v = v_B(p) - v_A(p). With the impulse J on B (-J on A), u = n.v
// after it:
//   0 <= u - target_velocity, complementary to n.J >= 0;   |J - n (n.J)| <= mu n.J, opposed to the sliding
//   velocity.
struct PairContact {
  std::int32_t A = kFixed, B = kFixed;       // bodies, by index
  Vec3<double> p_WC = Vec3<double>::Zero();  // point of application, m
  Vec3<double> n_W = Vec3<double>::UnitZ();  // unit normal from A to B
  double gap = 0;                            // signed distance along n, m; negative when penetrating
  double area = 0;                           // that the contact stands for, m^2; 0: a point
  double mu = 0;                             // Coulomb's coefficient, >= 0
  double restitution = 0;                    // Moreau's coefficient, in [0, 1]; for who sets target_velocity
  double target_velocity = 0;  // normal, m/s: from restitution, gap and stabilisation; set by the time step
  ContactKey key;              // the same pair of features has the same key in the next step
  Vec3<double> J_B_W =
      Vec3<double>::Zero();  // impulse on B, N s. In: the last step's, or zero. Out: this step's
};

// A limit or the friction of a joint, a law for the velocity u = factor v of one degree of freedom.
//
// A limit (bound 0): 0 <= u - target_velocity, complementary to impulse >= 0. Friction (bound > 0): |impulse|
// <= bound, opposed to u, and equal to it where u is not zero.
struct JointRow {
  std::int32_t tree = 0;       // of which tree
  std::int32_t body = 0;       // one on the tree
  std::int32_t dof = 0;        // of the tree's v
  double factor = 1;           // 1, or -1 at an upper limit; of a mimic times its multiplier
  double gap = 0;              // to the limit, rad or m; negative beyond it
  double bound = 0;            // N m s or N s
  double target_velocity = 0;  // rad/s or m/s
  double impulse = 0;          // N m s or N s, along u. In: the first guess. Out: this step's
};

// What a problem has beside free bodies.
struct ContactJoints {
  std::span<ContactTree> trees = {};  // indexed by ContactBody::tree
  std::span<JointRow> rows = {};      // limits and friction
};

// n.v by the bodies' twists, m/s: how fast the contact opens.
inline double normal_speed(const PairContact& contact, std::span<const ContactBody> bodies) {
  double u = 0;
  for (const std::int32_t body : {contact.A, contact.B}) {
    if (body == kFixed) continue;
    const Vec6<double>& V = bodies[static_cast<std::size_t>(body)].V_WB_W;
    const Vec3<double> p = contact.p_WC - bodies[static_cast<std::size_t>(body)].p_WBcm;
    u += (body == contact.B ? 1 : -1) * contact.n_W.dot(V.tail<3>() + V.head<3>().cross(p));
  }
  return u;
}

// How a solver has ended.
struct ContactReport {
  int iterations = 0;  // of the island that took most; 1 of a solver without iterations
  double residual =
      std::numeric_limits<double>::quiet_NaN();  // as the solver defines it, at the returned impulses
  Status status = Status::kOk;                   // kNotConverged: residual above the tolerance
};

}  // namespace abut::dynamics
