#pragma once

#include "preprocess/remesh/creased_surface.h"
#include "preprocess/remesh/position_field.h"

namespace abut::preprocess {

using Offset = Eigen::Vector2i;

// v rotated by r quarter turns, counter-clockwise.
template <class S>
Eigen::Vector2<S> turned(const Eigen::Vector2<S>& v, int r) {
  switch (r & 3) {
    case 0:
      return v;
    case 1:
      return {-v.y(), v.x()};
    case 2:
      return -v;
    default:
      return {v.y(), -v.x()};
  }
}

// Integer steps of a square lattice along the edges of a mesh. Each face has its own axes; `turns` relates
// the axes of adjacent faces.
struct Lattice {
  std::vector<Offset> offsets;      // of each half-edge: steps from origin to target, in its face's axes
  std::vector<std::uint8_t> turns;  // of each half-edge: quarter turns from its face's axes to the twin's

  // Sum of the offsets around the face: zero if they are consistent.
  Offset charge(std::int32_t f) const { return offsets[3 * f] + offsets[3 * f + 1] + offsets[3 * f + 2]; }
};

// Quarter turns between the axes of adjacent faces that match their directions best, by the directions'
// angles to the common edge.
std::vector<std::uint8_t> match(const CreasedSurface& surface,
                                const std::vector<Eigen::Vector3d>& directions);

// Sum of the quarter turns around each vertex, 0 to 3; nonzero at a singularity of the orientation field.
std::vector<int> turns_around(const HalfedgeMesh& mesh, const std::vector<std::uint8_t>& turns);

// Rounds the steps between neighbouring lattice points, then makes them add up to zero around every face with
// few and small changes: a charge (a face's nonzero sum) moves from face to face along a cheapest path,
// rotating with the axes, until it meets its opposite. That is the flow of [Huang et al. 2018], solved by
// successive shortest paths. Steps across a crease stay zero. If its opposite is very far away, a charge
// meets one perpendicular to it instead: the turns along a short path of edges change by a quarter, and a row
// of the lattice along either axis ends between the two singularities at the path's ends, at vertices without
// a hold. `charges`: number of faces whose sum was not zero; `left`: number of those that could not be
// repaired; `turned`: the half-edges of those paths.
struct ConsistentLattice {
  Lattice lattice;
  std::size_t charges = 0, left = 0;
  std::vector<std::int32_t> turned;
};
ConsistentLattice make_lattice(const CreasedSurface& surface, const std::vector<Eigen::Vector3d>& directions,
                               const std::vector<Hold>& holds, std::vector<std::uint8_t> turns,
                               const std::vector<Eigen::Vector3d>& points);

}  // namespace abut::preprocess
