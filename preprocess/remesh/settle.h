#pragma once

#include "preprocess/remesh/lattice.h"

namespace abut::preprocess {

// Spreads what the lattice is stretched and compressed by evenly: solves for the real coordinates in the
// lattice whose gradients are closest to the orientation field's over the wanted edge length (Poisson's
// equation as in [Bommes et al. 2009], the whole numbers of steps around the surface fixed by the lattice),
// by conjugate gradients from where the position field is. Then every vertex is told its nearest lattice
// point anew. Changes the lattice's offsets, not what they add up to, and moves `points` (m).
void settle(const CreasedSurface& surface, const std::vector<Eigen::Vector3d>& directions,
            const std::vector<Hold>& holds, int threads, Lattice& lattice,
            std::vector<Eigen::Vector3d>& points);

}  // namespace abut::preprocess
