#pragma once

#include "preprocess/remesh/creased_surface.h"

namespace abut::preprocess {

// One of the four directions of a smooth 4-RoSy field per face (unit, in the face's plane), by local
// smoothing over a multiresolution hierarchy with the extrinsic energy, which turns the field along edges and
// rims [Jakob et al. 2015, sections 3.1 and 4]. Differs from [Jakob2015]: the directions sit on faces, not on
// vertices, so that both sides of a crease have their own, and singularities fall on vertices; the normals
// are filtered, so that details too small for the lattice make no singularities.
std::vector<Eigen::Vector3d> orientation_field(const CreasedSurface& surface, int threads);

// A pair of directions out of the four at either place that are most parallel [Jakob2015, Eq. 2].
struct Aligned {
  Eigen::Vector3d a, b;
};
Aligned align(const Eigen::Vector3d& q_a, const Eigen::Vector3d& n_a, const Eigen::Vector3d& q_b,
              const Eigen::Vector3d& n_b);

}  // namespace abut::preprocess
