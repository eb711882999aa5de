#pragma once

#include "preprocess/remesh/lattice.h"

namespace abut::preprocess {

// Cancels pairs of opposite singularities of an orientation field that are within a few wanted edge lengths
// of each other: details that a lattice of this spacing cannot represent. The quarter turns along a cheapest
// path of edges between the two change by one, and the directions around it are smoothed again with the new
// turns held fixed. Returns the number of pairs.
std::size_t cancel_singularities(const CreasedSurface& surface, std::vector<Eigen::Vector3d>& directions,
                                 std::vector<std::uint8_t>& turns);

// Smooths the directions within two wanted edge lengths of `edges` (half-edges) while keeping the given turns
// between faces.
void smooth_across(const CreasedSurface& surface, const std::vector<std::uint8_t>& turns,
                   const std::vector<std::int32_t>& edges, std::vector<Eigen::Vector3d>& directions);

}  // namespace abut::preprocess
