#pragma once

#include <limits>
#include <span>

#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/solve/coulomb_contact.h"

// Contacts in the coordinates in which every moved body has unit inertia: with inverse mass 1/m and inverse
// inertia L L', the twist's change is (w; v) = (L y_w; y_v/sqrt(m)), and an impulse with Jacobian rows J
// changes y by (J diag(L, I/sqrt(m)))' r. One set of rows serves the velocity and the impulse.
namespace abut::dynamics {

// A twist or a column of rows in these coordinates: (angular, 0; linear, 0), two packets of four.
using Spatial = Eigen::Matrix<double, 8, 1>;
using SpatialRows = Eigen::Matrix<double, 8, 3>;  // rows of J, as columns

// A contact, or a limit or the friction of a joint, as sweeps see it.
struct ContactRow {
  SpatialRows J_A, J_B;        // columns n, t1, t2: u = bias + J_A' y_A + J_B' y_B
  Vec3<double> bias;           // velocity without any impulse; the normal part less target_velocity
  Vec3<double> r;              // impulse on B in the contact's frame, N s
  Vec3<double> r_last;         // before the sweep
  Vec3<double> r_way;          // direction of the extrapolation of sweeps
  CoulombContact<double> law;  // of the contact's W and mu
  double q;                    // of its last sliding answer
  Mat3<double> R_WC;           // columns n, t1, t2 in the world
  std::int32_t A, B;  // index of the body; kFixed for an unmoved one, less for a side on a tree (tree_rows.h)
};

// A body's factor of inverse inertia and inverse root of mass; zero for an unmoved body.
struct BodyScale {
  Mat3<double> L;            // inverse inertia is L L' in the world's axes; 1/(kg^0.5 m)
  double inverse_root_mass;  // 1/kg^0.5
};

// The largest of squares one after the other; infinite where one is NaN, which comparisons pass over.
ABUT_INLINE void keep_largest(double& largest, double square) {
  if (!(square <= largest)) largest = square >= 0 ? square : std::numeric_limits<double>::infinity();
}

// L of a positive semidefinite inverse inertia.
BodyScale body_scale(const ContactBody& body);

// Row of one contact between bodies of which at least one moves; the impulse starts from contact.J_B_W, moved
// into the cone. A contact that no impulse along its normal can move gets law.W_nn = 0. A and B are indices
// of free bodies; K_trees is what bodies on trees add to the velocity by an impulse, world axes, 1/kg.
void make_row(const PairContact& contact, std::span<const ContactBody> bodies,
              std::span<const BodyScale> scales, ContactRow& row, const Mat3<double>* K_trees = nullptr);

}  // namespace abut::dynamics
