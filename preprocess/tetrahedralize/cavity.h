#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/tetrahedralize/editable_tets.h"

// A new vertex in a mesh of tetrahedra: where it may go, and the cavity that is dug for it.
namespace abut::preprocess {

// The edges of a tetrahedron; edge 5 - e is opposite to edge e.
inline constexpr int kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Tetrahedra to be replaced by those between a point and the faces around them.
struct Cavity {
  struct Face {
    std::array<std::int32_t, 3> corners;
    std::int32_t beyond;  // the slot on the other side, -1 at the surface
    double quality;
  };
  Eigen::Vector3d point;
  bool inside = true;
  std::vector<std::int32_t> slots;
  std::vector<Face> faces;
  double quality = -10;
  bool valid = false;
};

// Where a new vertex may go, and what it takes the place of at least.
struct VertexPlace {
  Eigen::Vector3d point;
  std::vector<std::int32_t> seeds;
  std::vector<std::int32_t> on;  // vertices of the surface's edge or triangle that it lies on; none: inside
};

// The centre of a tetrahedron, the middles of its edges and faces; on the surface's edges also the points
// next to the edge and the corners across, where slivers are flattest.
std::vector<VertexPlace> vertex_places(const EditableTets& tets, std::int32_t slot);

// The cavity of a place's seeds.
Cavity start_cavity(const EditableTets& tets, const VertexPlace& place);

// That, grown as long as it makes the worst of the new tetrahedra better.
Cavity dig_cavity(const EditableTets& tets, const VertexPlace& place);

// Puts the vertex in, and the tetrahedra between it and the cavity's faces; its number.
std::int32_t fill_cavity(EditableTets& tets, const Cavity& cavity);

}  // namespace abut::preprocess
