#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "preprocess/remesh/creased_surface.h"

namespace abut::preprocess {

// For each face one of the four directions of a smooth 4-RoSy field (unit, in the face's plane), by local
// smoothing over a multiresolution hierarchy with the extrinsic energy, which aligns the field with edges and
// rims [Jakob et al. 2015, sections 3.1 and 4]. Differs from [Jakob2015]: directions belong to faces instead
// of vertices, so that each side of a crease has its own, and singularities lie at vertices; normals are
// filtered, so that details too small for the lattice cause no singularities.
std::vector<Eigen::Vector3d> orientation_field(const CreasedSurface& surface, int threads);

// Projects q to the plane with the unit normal n and normalises it; an arbitrary direction of the plane if
// little remains.
inline Eigen::Vector3d in_plane(const Eigen::Vector3d& q, const Eigen::Vector3d& n) {
  const Eigen::Vector3d flat = q - n * n.dot(q);
  const double length = flat.norm();
  return length > 1e-6 ? Eigen::Vector3d(flat / length) : n.unitOrthogonal();
}

// The pair of directions, one of the four at each place, that are most parallel [Jakob2015, Eq. 2]. Lengths
// are arbitrary.
struct Aligned {
  Eigen::Vector3d a, b;
};
inline Aligned align(const Eigen::Vector3d& q_a, const Eigen::Vector3d& n_a, const Eigen::Vector3d& q_b,
                     const Eigen::Vector3d& n_b) {
  const Eigen::Vector3d t_a = n_a.cross(q_a), t_b = n_b.cross(q_b);
  // Two candidates on each side suffice; of equally good pairs take the first, so that rounding does not
  // decide.
  const double dots[4] = {q_a.dot(q_b), q_a.dot(t_b), t_a.dot(q_b), t_a.dot(t_b)};
  int best = 0;
  const double tie = 1e-12 * (std::abs(dots[0]) + std::abs(dots[1]));
  for (int k = 1; k < 4; ++k) best = std::abs(dots[k]) > std::abs(dots[best]) + tie ? k : best;
  const double sign = dots[best] < 0 ? -1 : 1;
  return {best < 2 ? q_a : t_a, sign * (best % 2 == 0 ? q_b : t_b)};
}

}  // namespace abut::preprocess
