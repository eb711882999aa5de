#pragma once

#include "preprocess/remesh/lattice.h"

namespace abut::preprocess {

// Cancels pairs of opposite singularities of an orientation field that are a few wanted edge lengths apart:
// details that a lattice of this spacing cannot show. The quarter turns along a cheapest path of edges
// between the two change by one; the directions around are smoothed again with the turns as they are then.
// Returns the number of pairs.
std::size_t cancel_singularities(const CreasedSurface& surface, std::vector<Eigen::Vector3d>& directions,
                                 std::vector<std::uint8_t>& turns);

// Smooths the directions within two wanted edge lengths of `edges` (half-edges), given the turns between
// faces, which it keeps.
void smooth_across(const CreasedSurface& surface, const std::vector<std::uint8_t>& turns,
                   const std::vector<std::int32_t>& edges, std::vector<Eigen::Vector3d>& directions);

}  // namespace abut::preprocess
