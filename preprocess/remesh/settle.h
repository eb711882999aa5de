#pragma once

#include "preprocess/remesh/lattice.h"

namespace abut::preprocess {

// Distributes the distortion of the lattice evenly: solves for real-valued coordinates in the lattice whose
// gradients are closest to the orientation field divided by the wanted edge length (Poisson's equation as in
// [Bommes et al. 2009], with the integer steps around the surface fixed by the lattice), by conjugate
// gradients starting from the position field. Then every vertex is reassigned to its nearest lattice point.
// Changes the lattice's offsets but not their sums around faces, and moves `points` (m).
void settle(const CreasedSurface& surface, const std::vector<Eigen::Vector3d>& directions,
            const std::vector<Hold>& holds, int threads, Lattice& lattice,
            std::vector<Eigen::Vector3d>& points);

}  // namespace abut::preprocess
