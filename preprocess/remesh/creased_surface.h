#pragma once

#include "preprocess/remesh/halfedge_mesh.h"

namespace abut::preprocess {

// A closed surface with its sharp edges, fine enough to carry a lattice of the wanted edge length.
struct CreasedSurface {
  HalfedgeMesh mesh;
  std::vector<Eigen::Vector3d> positions;  // of the vertices, m
  std::vector<double> sizes;               // wanted edge length at the vertices, m
  std::vector<char> crease;                // of the half-edges, the same on both sides

  std::vector<Eigen::Vector3d> normals;  // of the faces, unit, filtered

  const Eigen::Vector3d& at(std::int32_t v) const { return positions[v]; }
  Eigen::Vector3d edge(std::int32_t h) const { return at(mesh.target(h)) - at(mesh.origin(h)); }
  // Normal of the face, as long as twice its area.
  Eigen::Vector3d double_area(std::int32_t f) const;
};

// Splits edges until none is longer than half the wanted length, filters the faces' normals [Zheng et al.
// 2011] and marks the edges across which they differ by more than `crease_degrees`. Creases in pieces shorter
// than a few wanted lengths are noise and left out. Throws InvalidInput if `closed` is not closed and
// manifold, TooMuchWork where splitting makes many times more faces than the area is worth.
CreasedSurface make_creased_surface(const TriangleMesh& closed, const std::vector<double>& sizes,
                                    double crease_degrees, int threads);

// Unmarks creases that do not follow the directions, one a face, or are left in short pieces.
void keep_aligned_creases(CreasedSurface& surface, const std::vector<Eigen::Vector3d>& directions);

}  // namespace abut::preprocess
