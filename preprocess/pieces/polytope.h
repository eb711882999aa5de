#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Convex polytopes while they are worked on. Internal to the pieces.
namespace abut::preprocess {

// The points x with n . x <= d: n unit, outward; d in m.
struct Plane {
  Eigen::Vector3d n = Eigen::Vector3d::Zero();
  double d = 0;

  double height(const Eigen::Vector3d& x) const { return n.dot(x) - d; }  // m, positive outside
};

// A convex hull with the planes of its triangles.
struct Polytope {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Triangle> triangles;        // counter-clockwise seen from outside
  std::vector<Plane> planes;              // of the triangles that have one
  // Corners of the box about it, m.
  Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();

  bool flat() const { return triangles.empty(); }

  // Greatest height over a plane, m: at most the distance, negative inside.
  double height(const Eigen::Vector3d& x) const;

  // The point of it nearest to one, which is itself inside.
  Eigen::Vector3d nearest(const Eigen::Vector3d& x) const;

  // Distance of a point, 0 inside, m; exact.
  double distance(const Eigen::Vector3d& x) const;

  double volume() const;  // m^3
};

// The hull of points; flat where all lie in one plane.
Polytope make_polytope(std::span<const Eigen::Vector3d> points);

// The hull of some of the polytope's vertices, at most `max_vertices` of them: extreme ones first, then ever
// the one farthest outside, until none is farther outside than `tolerance` (m). The polytope is not flat; at
// least 4 vertices.
Polytope reduce(const Polytope& polytope, int max_vertices, double tolerance);

}  // namespace abut::preprocess
