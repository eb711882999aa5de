#pragma once

#include <span>

#include "runtime/dynamics/solve/contact_problem.h"

namespace abut::dynamics {

// Spreads the first guesses of contacts that sample an area (area > 0, one pair of shapes, one normal): the
// normal impulses become those of a pressure that is linear over the area, with the same sum and the same
// moments; friction goes along in proportion. Which of the many loads with these sums a rigid area carries is
// not determined, and a solver stays near its first guess: this is how an area presses evenly, as a slightly
// soft one does. Pressures are not less than zero.
void even_out(std::span<PairContact> contacts);

}  // namespace abut::dynamics
