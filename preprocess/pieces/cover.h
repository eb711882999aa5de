#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "preprocess/pieces/region.h"

// Few convex regions that together hold a solid. Internal to the pieces.
namespace abut::preprocess {

// At most `most` of the regions, as few as are found, that hold as much as is found of the targets that are
// wanted: local search over weighted rows [Gao2015]. Regions are given up for such as hold what is then
// missing, and what is missing for long weighs more. `chosen` (numbers in `pool`) is where it starts.
std::vector<std::size_t> select(const std::vector<Region>& pool, const std::vector<char>& wanted,
                                std::size_t most, const std::vector<std::size_t>& chosen);

// Regions that together hold the targets that are wanted, `most` at most; `wanted` keeps what none holds.
// Ever more regions are grown, about what is missing and about what those that were selected hold alone, and
// selected from all. Targets up to `near` (m) before a plane count as held. The same on any number of
// threads.
std::vector<Region> cover(const Ground& ground, std::vector<char>& wanted, std::size_t most, double near,
                          const std::function<void(std::size_t regions, std::size_t missing)>& progress);

}  // namespace abut::preprocess
