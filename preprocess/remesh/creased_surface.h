#pragma once

#include "preprocess/remesh/halfedge_mesh.h"

namespace abut::preprocess {

// A closed surface with marked sharp edges, fine enough to carry a lattice of the wanted edge length.
struct CreasedSurface {
  HalfedgeMesh mesh;
  std::vector<Eigen::Vector3d> positions;  // at the vertices, m
  std::vector<double> sizes;               // wanted edge length at the vertices, m
  std::vector<char> crease;                // flag for each half-edge, equal on both sides

  std::vector<Eigen::Vector3d> normals;  // of the faces, unit, filtered

  const Eigen::Vector3d& at(std::int32_t v) const { return positions[v]; }
  Eigen::Vector3d edge(std::int32_t h) const { return at(mesh.target(h)) - at(mesh.origin(h)); }
  // Normal of the face with the length of twice its area, m^2.
  Eigen::Vector3d double_area(std::int32_t f) const;
};

// Splits edges until none is longer than 0.75 of the wanted length, filters the faces' normals [Zheng et al.
// 2011] and marks the edges across which they differ by more than `crease_degrees` as creases. Connected
// creases shorter than a few wanted lengths are noise and are not marked. Throws InvalidInput if `closed` is
// not closed and manifold, TooMuchWork if splitting makes many times more faces than the area warrants.
CreasedSurface make_creased_surface(const TriangleMesh& closed, const std::vector<double>& sizes,
                                    double crease_degrees, int threads);

// Unmarks creases that do not follow the directions (one for each face), and short pieces that remain.
void keep_aligned_creases(CreasedSurface& surface, const std::vector<Eigen::Vector3d>& directions);

}  // namespace abut::preprocess
