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

// A tetrahedral mesh of the inside of a closed surface that preserves its triangles. The surface's vertices
// come first, in their order; all other vertices are inside.
struct TetrahedralMesh {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Tetrahedron>
      tetrahedra;  // of positive volume: seen from the fourth vertex, the first three run counter-clockwise
  std::int32_t surface_vertices = 0;

  bool on_surface(std::int32_t vertex) const { return vertex < surface_vertices; }
  // Whether all four vertices are on the surface: a field that is zero on the surface vanishes in such a
  // tetrahedron.
  bool is_flat(const Tetrahedron& t) const;
};

// Six times the signed volume of a tetrahedron, m^3.
inline double six_volumes(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                          const Eigen::Vector3d& d) {
  return (b - a).cross(c - a).dot(d - a);
}

// The smallest sine of the six dihedral angles, with the sign of the volume; 0 for a degenerate tetrahedron.
double smallest_sine(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                     const Eigen::Vector3d& d);

struct TetrahedralQuality {
  double min_dihedral = 0;        // degrees: the smallest angle of all tetrahedra
  double p1_dihedral = 0;         // degrees: the 1st percentile of the tetrahedra's smallest angles
  double max_dihedral = 0;        // degrees
  double flat_surface_share = 0;  // of surface triangles: those whose tetrahedron has no vertex inside
  double flat_share = 0;          // of all tetrahedra
  std::size_t surface_triangles = 0;
};

TetrahedralQuality measure(const TetrahedralMesh& mesh);

}  // namespace abut::preprocess
