#pragma once

#include <span>

#include "runtime/dynamics/solve/contact_problem.h"

namespace abut::dynamics {

// Spreads the first guesses of contacts that sample an area (area > 0, one pair of shapes, one normal): the
// normal impulses become those of a pressure that is linear over the area, with the same sum and the same
// moments; friction is scaled in proportion. A rigid area does not determine which of the many loads with
// these resultants it carries, and a solver stays near its first guess: this makes an area press evenly, as a
// slightly soft one does. Pressures are not negative.
void even_out(std::span<PairContact> contacts);

}  // namespace abut::dynamics
