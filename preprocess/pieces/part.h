#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "preprocess/pieces/polytope.h"

// The part of a solid inside a convex cell. Internal to the pieces.
namespace abut::preprocess {

// Polygons, stored consecutively.
struct Polygons {
  std::vector<Eigen::Vector3d> points;  // m
  std::vector<std::int32_t> ends{0};    // polygon k has the points ends[k] to ends[k + 1] - 1

  std::size_t size() const { return ends.size() - 1; }
  void close() {
    if (static_cast<std::size_t>(ends.back()) < points.size())
      ends.push_back(static_cast<std::int32_t>(points.size()));
  }
};

// A part of a solid, represented without its cross-sections: an extreme point of the part lies on the surface
// of the solid, in a triangle clipped to the cell, or is a corner of the cell inside the solid. The hull of
// these points is therefore that of the part, whatever its topology.
struct Part {
  Polygons surface;                      // triangles clipped to the cell
  Polygons cell;                         // faces of the cell
  std::vector<Eigen::Vector3d> corners;  // of the cell, inside the solid
};

// The whole of a closed mesh, in a cell around it.
Part whole(const TriangleMesh& mesh);

// Cuts a part by a plane; returns the sides behind it (first) and in front of it. inside(p) returns whether a
// point is in the solid.
std::pair<Part, Part> cut(const Part& part, const Plane& plane,
                          const std::function<bool(const Eigen::Vector3d&)>& inside);

Polytope hull_of(const Part& part);

}  // namespace abut::preprocess
