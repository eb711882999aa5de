#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/tetrahedralize/editable_tets.h"

// Inserting a vertex into a tetrahedral mesh: places for it, and the cavity that it replaces.
namespace abut::preprocess {

// The edges of a tetrahedron; edge 5 - e is opposite to edge e.
inline constexpr int kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Tetrahedra to be replaced by those between a point and the faces around them.
struct Cavity {
  struct Face {
    std::array<std::int32_t, 3> corners;
    std::int32_t beyond;  // slot on the other side, -1 at the surface
    double quality;
  };
  Eigen::Vector3d point;
  bool inside = true;
  std::vector<std::int32_t> slots;
  std::vector<Face> faces;
  double quality = -10;
  bool valid = false;
};

// A place for a new vertex, with the tetrahedra (seeds) that it replaces at least.
struct VertexPlace {
  Eigen::Vector3d point;
  std::vector<std::int32_t> seeds;
  std::vector<std::int32_t> on;  // vertices of the surface edge or triangle on which it lies; empty: inside
};

// Places in a tetrahedron: its centre, the midpoints of its edges and faces; on edges of the surface also the
// points closest to the opposite edge and corners, where slivers are flattest.
std::vector<VertexPlace> vertex_places(const EditableTets& tets, std::int32_t slot);

// The cavity that consists of a place's seeds.
Cavity start_cavity(const EditableTets& tets, const VertexPlace& place);

// The same cavity, grown as long as that improves the worst of the new tetrahedra.
Cavity dig_cavity(const EditableTets& tets, const VertexPlace& place);

// Inserts the vertex and the tetrahedra between it and the cavity's faces; returns the vertex number.
std::int32_t fill_cavity(EditableTets& tets, const Cavity& cavity);

}  // namespace abut::preprocess
