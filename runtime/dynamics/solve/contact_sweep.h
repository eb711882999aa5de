#pragma once

#include <span>

#include "runtime/dynamics/solve/tree_rows.h"

// The inner loop of the coupled solver: Gauss-Seidel sweeps over contacts.
namespace abut::dynamics {

// What a body's impulses have changed, on cache lines of its own: threads sweep neighbours in the list.
struct alignas(64) BodyChange {
  Spatial y = Spatial::Zero();       // of its twist, in scaled coordinates; all that sweeps touch
  Spatial y_last = Spatial::Zero();  // before the sweep
  Spatial y_way = Spatial::Zero();   // direction of the extrapolation of sweeps
};

struct SweepChange {
  double largest = 0;  // squared change of any contact's velocity
  double total = 0;    // sum of dr'W dr over the contacts
};

// Sweeps are extrapolated as in [Silcowitz2010]: the change that a sweep makes stands for a gradient, its
// size for the gradient's norm, and steps are combined as conjugate gradients are, with `ratio` the last
// sweep's SweepChange::total over that of the one before. Where it has grown the directions so far are
// dropped. Impulses may leave their cones until the next sweep.
//
// The bodies' part of it, and the trees'; sweep does the contacts' first.
void extrapolate(double ratio, BodyChange& body);
void extrapolate(double ratio, TreeRows::Change& tree);

// Solves every contact once, in order, with all others held; y follows, and r_last keeps what r was. Contacts
// with law.W_nn = 0 are left alone.
SweepChange sweep(std::span<ContactRow> rows, double ratio, std::span<BodyChange> bodies, TreeRows& trees);

// Adds what the impulses r of all rows do to the bodies.
void apply_impulses(std::span<const ContactRow> rows, std::span<BodyChange> bodies, TreeRows& trees);

// Largest squared violation of the law (CoulombContact::violation), (m/s)^2; of joints (rad/s)^2 too.
double largest_violation(std::span<const ContactRow> rows, std::span<const BodyChange> bodies,
                         const TreeRows& trees);

}  // namespace abut::dynamics
