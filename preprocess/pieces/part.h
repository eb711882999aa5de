#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "preprocess/pieces/polytope.h"

// A part of a solid: what a convex cell cuts out of it. Internal to the pieces.
namespace abut::preprocess {

// Polygons one after the other.
struct Polygons {
  std::vector<Eigen::Vector3d> points;  // m
  std::vector<std::int32_t> ends{0};    // polygon k has the points ends[k] to ends[k + 1]

  std::size_t size() const { return ends.size() - 1; }
  void close() {
    if (static_cast<std::size_t>(ends.back()) < points.size())
      ends.push_back(static_cast<std::int32_t>(points.size()));
  }
};

// An extreme point of the part lies on the surface of the solid, in a triangle clipped to the cell, or it is
// a corner of the cell inside the solid. So their hull is that of the part, whatever the part's topology, and
// no cross-section needs to be made.
struct Part {
  Polygons surface;                      // triangles clipped to the cell
  Polygons cell;                         // faces of the cell
  std::vector<Eigen::Vector3d> corners;  // of the cell, inside the solid
};

// All of a closed mesh, in a cell about it.
Part whole(const TriangleMesh& mesh);

// Both sides of a plane: behind it (first) and before it. inside(p): whether a point is in the solid.
std::pair<Part, Part> cut(const Part& part, const Plane& plane,
                          const std::function<bool(const Eigen::Vector3d&)>& inside);

Polytope hull_of(const Part& part);

}  // namespace abut::preprocess
