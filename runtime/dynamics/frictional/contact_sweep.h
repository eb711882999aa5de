#pragma once

#include <span>

#include "runtime/dynamics/frictional/contact_row.h"

// The inner loop of the coupled solver: Gauss-Seidel sweeps over contacts.
namespace abut::dynamics {

struct SweepChange {
  double largest = 0;  // squared change of any contact's velocity
  double total = 0;    // sum of dr'W dr over the contacts
};

// Solves every contact once, in order, with all others held; y follows, and r_last keeps what r was. Contacts
// with law.W_nn = 0 are left alone.
SweepChange sweep(std::span<ContactRow> rows, std::span<Spatial> y);

// Adds what the impulses r of all rows do to the bodies.
void apply_impulses(std::span<const ContactRow> rows, std::span<Spatial> y);

// Largest squared violation of the law (CoulombContact::violation), (m/s)^2.
double largest_violation(std::span<const ContactRow> rows, std::span<const Spatial> y);

}  // namespace abut::dynamics
