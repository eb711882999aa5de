#pragma once

#include <limits>
#include <span>

#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/solve/coulomb_contact.h"

// Contacts in coordinates in which every moved body has unit inertia: with inverse mass 1/m and inverse
// inertia L L', a change y of these coordinates changes the twist by (w; v) = (L y_w; y_v/sqrt(m)), and an
// impulse r with Jacobian rows J changes y by (J diag(L, I/sqrt(m)))' r. So one set of rows serves both
// velocities and impulses.
namespace abut::dynamics {

// A twist or a column of rows in these coordinates: (angular, 0; linear, 0), padded to two packets of four.
using Spatial = Eigen::Matrix<double, 8, 1>;
using SpatialRows = Eigen::Matrix<double, 8, 3>;  // the rows of J, stored as columns

// A contact, or a limit or the friction of a joint, in the form that sweeps use.
struct ContactRow {
  SpatialRows J_A, J_B;        // columns n, t1, t2: u = bias + J_A' y_A + J_B' y_B
  Vec3<double> bias;           // velocity without any impulse; its normal part less target_velocity
  Vec3<double> r;              // impulse on B in the contact's frame, N s
  Vec3<double> r_last;         // impulse at the start of the last sweep
  Vec3<double> r_way;          // search direction of the extrapolation of sweeps
  CoulombContact<double> law;  // from the contact's W and mu
  double q;                    // q of the last sliding solution, see CoulombContact::impulse
  Mat3<double> R_WC;           // contact frame: columns n, t1, t2 in the world's axes
  std::int32_t A, B;  // free body's index or place; kFixed: unmoved; below: a side on a tree (tree_rows.h)
};

// A body's factor of the inverse inertia and square root of the inverse mass; zero for an unmoved body.
struct BodyScale {
  Mat3<double> L;            // L L' = inverse inertia in the world's axes; 1/(kg^0.5 m)
  double inverse_root_mass;  // 1/kg^0.5
};

// Updates the largest of a series of squares; a NaN, which comparisons would skip, makes it infinite.
ABUT_INLINE void keep_largest(double& largest, double square) {
  if (!(square <= largest)) largest = square >= 0 ? square : std::numeric_limits<double>::infinity();
}

// Returns the scale of a body; its inverse inertia must be positive semidefinite.
BodyScale body_scale(const ContactBody& body);

// Makes the row of one contact between bodies of which at least one moves; the impulse starts from
// contact.J_B_W, projected into the friction cone. A contact that no impulse along its normal can move gets
// law.W_nn = 0. row.A and row.B become indices of free bodies. K_trees, if given, is the contribution of
// bodies on trees to the velocity per impulse, in the world's axes, 1/kg.
void make_row(const PairContact& contact, std::span<const ContactBody> bodies,
              std::span<const BodyScale> scales, ContactRow& row, const Mat3<double>* K_trees = nullptr);

}  // namespace abut::dynamics
