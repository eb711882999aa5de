#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "preprocess/pieces/region.h"

// Covers a solid by few convex regions. Internal to the pieces.
namespace abut::preprocess {

// Selects at most `most` regions that hold as many wanted targets as possible, and as few regions as
// possible, by weighted local search [Gao2015]: selected regions are exchanged for others that hold the
// missing targets, and the weight of targets grows while they are missing. `chosen` (indices in `pool`) is
// the initial selection.
std::vector<std::size_t> select(const std::vector<Region>& pool, const std::vector<char>& wanted,
                                std::size_t most, const std::vector<std::size_t>& chosen);

// Finds at most `most` regions that together hold the wanted targets; afterwards `wanted` marks those that no
// region holds. Grows more regions in each round, around what is missing and around what only one selected
// region holds, and selects from all of them. Targets up to `near` (m) outside a plane count as held.
// Deterministic: the same on any number of threads.
std::vector<Region> cover(const Ground& ground, std::vector<char>& wanted, std::size_t most, double near,
                          const std::function<void(std::size_t regions, std::size_t missing)>& progress);

}  // namespace abut::preprocess
