#pragma once

#include <span>

#include "runtime/dynamics/solve/tree_rows.h"

// The inner loop of the coupled solver: Gauss-Seidel sweeps over contacts.
namespace abut::dynamics {

// Change of a body's velocity by the impulses, on cache lines of its own, as different threads sweep bodies
// that are neighbours in memory.
struct alignas(64) BodyChange {
  Spatial y = Spatial::Zero();       // change of its twist in scaled coordinates; all that sweeps touch
  Spatial y_last = Spatial::Zero();  // y at the start of the last sweep
  Spatial y_way = Spatial::Zero();   // search direction of the extrapolation of sweeps
};

// What one sweep changed.
struct SweepChange {
  double largest = 0;  // squared change of any contact's velocity
  double total = 0;    // sum of dr'W dr over the contacts
};

// Extrapolates sweeps as in [Silcowitz2010]: the change made by a sweep takes the role of a gradient and its
// size that of the gradient's norm, and steps are combined as in the method of conjugate gradients, where
// `ratio` is SweepChange::total of the last sweep over that of the one before. Where that has grown (ratio >
// 1) the search directions so far are dropped. Impulses may leave their cones until the next sweep.
//
// extrapolate does so for a body and for a tree; sweep first does so for its contacts.
void extrapolate(double ratio, BodyChange& body);
void extrapolate(double ratio, TreeRows::Change& tree);

// Solves every contact once, in order, with all others held, and updates y. Each row's r_last receives the
// extrapolated impulse that the row started from. Skips contacts with law.W_nn = 0.
SweepChange sweep(std::span<ContactRow> rows, double ratio, std::span<BodyChange> bodies, TreeRows& trees);

// Adds the effect of the impulses r of all rows to the bodies and trees.
void apply_impulses(std::span<const ContactRow> rows, std::span<BodyChange> bodies, TreeRows& trees);

// Returns the largest squared violation of the law (CoulombContact::violation), (m/s)^2; for joints also
// (rad/s)^2.
double largest_violation(std::span<const ContactRow> rows, std::span<const BodyChange> bodies,
                         const TreeRows& trees);

}  // namespace abut::dynamics
