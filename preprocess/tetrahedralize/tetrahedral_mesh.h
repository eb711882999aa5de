#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/build_volume.h"

namespace abut::preprocess {

using asset::kFaces;
using asset::Tetrahedron;

// The inside of a closed surface, cut into tetrahedra that keep its triangles. The surface's vertices come
// first, in its order; every other vertex is inside.
struct TetrahedralMesh {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Tetrahedron>
      tetrahedra;  // of positive volume: the fourth sees the first three run counter-clockwise
  std::int32_t surface_vertices = 0;

  bool on_surface(std::int32_t vertex) const { return vertex < surface_vertices; }
  // All four vertices on the surface: a field that is zero on the surface is zero all over it.
  bool is_flat(const Tetrahedron& t) const;
};

// Six times the signed volume, m^3.
inline double six_volumes(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                          const Eigen::Vector3d& d) {
  return (b - a).cross(c - a).dot(d - a);
}

// The smallest sine of the six dihedral angles, with the sign of the volume; 0 for a degenerate tetrahedron.
double smallest_sine(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                     const Eigen::Vector3d& d);

struct TetrahedralQuality {
  double min_dihedral = 0;        // degrees: the smallest angle of all tetrahedra
  double p1_dihedral = 0;         // degrees: the 1st percentile over tetrahedra of their smallest angle
  double max_dihedral = 0;        // degrees
  double flat_surface_share = 0;  // of surface triangles: their tetrahedron has no vertex inside
  double flat_share = 0;          // of all tetrahedra
  std::size_t surface_triangles = 0;
};

TetrahedralQuality measure(const TetrahedralMesh& mesh);

}  // namespace abut::preprocess
