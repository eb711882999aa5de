#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Convex polytopes during construction. Internal to the pieces.
namespace abut::preprocess {

// The half-space of points x with n . x <= d: n unit, outward; d in m.
struct Plane {
  Eigen::Vector3d n = Eigen::Vector3d::Zero();
  double d = 0;

  double height(const Eigen::Vector3d& x) const { return n.dot(x) - d; }  // m, positive outside
};

// A convex hull with the planes of its triangles.
struct Polytope {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Triangle> triangles;        // counter-clockwise seen from outside
  std::vector<Plane> planes;              // of the triangles, except slivers
  // Corners of the bounding box, m.
  Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();

  bool flat() const { return triangles.empty(); }

  // Largest height above a plane, m: a lower bound of the distance; negative inside.
  double height(const Eigen::Vector3d& x) const;

  // The point of the polytope nearest to x, which is x itself if it is inside.
  Eigen::Vector3d nearest(const Eigen::Vector3d& x) const;

  // Exact distance of a point, m; 0 inside.
  double distance(const Eigen::Vector3d& x) const;

  double volume() const;  // m^3
};

// The hull of points; flat() if all lie in one plane.
Polytope make_polytope(std::span<const Eigen::Vector3d> points);

// Approximates a polytope by the hull of at most `max_vertices` (at least 4) of its vertices: extreme ones
// first, then repeatedly the one farthest outside, until none is farther outside than `tolerance` (m). The
// polytope must not be flat.
Polytope reduce(const Polytope& polytope, int max_vertices, double tolerance);

}  // namespace abut::preprocess
