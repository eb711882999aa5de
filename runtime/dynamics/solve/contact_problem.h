#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "runtime/core/status.h"
#include "runtime/dynamics/system/state.h"
#include "runtime/dynamics/tree/tree.h"
#include "runtime/math/pose.h"

// A velocity-level contact problem of rigid bodies: what the time step passes to a contact solver, and what
// the solver returns. Everything is in the world's axes; a body's twist and wrench are taken at its centre of
// mass.
namespace abut::dynamics {

// In place of a body's index: the world, or any body that is held fixed.
inline constexpr std::int32_t kFixed = -1;

// Articulated bodies: generalised velocities v of n independent degrees of freedom.
struct ContactTree {
  // Cholesky factors of the effective inertia, (n, n): inertia plus the implicit damping and stiffness of the
  // step. A generalised impulse changes v by its inverse times the impulse.
  Eigen::LLT<MatX<double>> inertia;
  VecX<double> v;  // (n) before the contacts' impulses, like ContactBody::V_WB_W
};

// Jacobian of a body's twist, one column for each generalised velocity of its tree.
using TreeJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

// Inertia of one body, and its twist after all forces except contact have acted. A body on a tree has no
// inertia of its own; its twist follows from the tree's velocities.
struct ContactBody {
  Vec3<double> p_WBcm = Vec3<double>::Zero();             // centre of mass, m
  Mat3<double> inverse_inertia_W = Mat3<double>::Zero();  // about the centre of mass, 1/(kg m^2)
  double inverse_mass = 0;                                // 1/kg
  Vec6<double> V_WB_W = Vec6<double>::Zero();  // (w; v), rad/s and m/s, before the contacts' impulses
  std::int32_t tree = -1;                      // index of its tree; -1: none
  const TreeJacobian* J_W = nullptr;           // for a body on a tree: V_WB_W = J v
};

// One contact between bodies A and B (indices; at most one of them kFixed).
//
// The relative velocity at the contact is v = v_B(p) - v_A(p). With the impulse J on B (-J on A) and the
// normal velocity u = n.v after it, the law is
//   0 <= u - target_velocity, complementary to n.J >= 0;
//   |J - n (n.J)| <= mu n.J, opposed to the sliding velocity and equal to the bound while sliding.
struct PairContact {
  std::int32_t A = kFixed, B = kFixed;       // bodies, by index
  Vec3<double> p_WC = Vec3<double>::Zero();  // point of application, m
  Vec3<double> n_W = Vec3<double>::UnitZ();  // unit normal from A to B
  double gap = 0;                            // signed distance along n, m; negative when penetrating
  double area = 0;                           // area that the contact represents, m^2; 0: a point
  double mu = 0;                             // Coulomb friction coefficient, >= 0
  // Moreau's coefficient of restitution, in [0, 1]; used by whoever sets target_velocity.
  double restitution = 0;
  // Target normal velocity, m/s, from restitution, gap and stabilisation; set by the time step.
  double target_velocity = 0;
  ContactKey key;  // the same pair of features has the same key in the next step
  Vec3<double> J_B_W =
      Vec3<double>::Zero();  // impulse on B, N s. In: the last step's, or zero. Out: this step's
};

// A limit or the friction of a joint: a law for the velocity u = factor v of one degree of freedom.
//
// A limit (bound = 0): 0 <= u - target_velocity, complementary to impulse >= 0. Friction (bound > 0):
// |impulse| <= bound, opposed to u, and |impulse| = bound where u is not zero.
struct JointRow {
  std::int32_t tree = 0;  // index of its tree
  std::int32_t body = 0;  // index of a body on the tree
  std::int32_t dof = 0;   // index into the tree's v
  // 1, or -1 at an upper limit; times the multiplier for a joint that mimics another.
  double factor = 1;
  double gap = 0;              // distance to the limit, rad or m; negative beyond it
  double bound = 0;            // of friction, N m s or N s; 0: a limit
  double target_velocity = 0;  // rad/s or m/s
  double impulse = 0;          // N m s or N s, along u. In: the first guess. Out: this step's
};

// The joints of a problem: trees, and the limits and friction of their joints.
struct ContactJoints {
  std::span<ContactTree> trees = {};  // indexed by ContactBody::tree
  std::span<JointRow> rows = {};      // limits and friction
};

// Normal velocity n.v at the contact from the bodies' twists, m/s; positive where the contact opens.
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

// How a solver ended.
struct ContactReport {
  int iterations = 0;  // largest number of any island; 1 for a solver without iterations
  double residual =
      std::numeric_limits<double>::quiet_NaN();  // as the solver defines it, at the returned impulses
  Status status = Status::kOk;                   // kNotConverged: residual above the tolerance
};

}  // namespace abut::dynamics
