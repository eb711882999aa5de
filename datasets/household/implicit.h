#pragma once

#include <functional>

#include "datasets/household/surface.h"

// Surfaces given as the zero set of a function, for shapes that are assembled from parts.
namespace abut::datasets::household {

// Negative inside, positive outside; near the zero set it behaves like a distance, m.
using Field = std::function<double(const Eigen::Vector3d&)>;

struct Grid {
  Eigen::Vector3d lower, upper;  // the zero set lies strictly inside, m
  double spacing;                // m; less than half of the thinnest wall
};

struct Extraction {
  Surface surface;
  double volume;  // m^3, by quadrature of the field on the grid
};

// Extracts the zero set by marching tetrahedra (every cube is divided into six along its diagonal: a closed
// manifold for any field), with the vertices moved close to it.
Extraction extract(const Field& field, const Grid& grid);

// Gradient by central differences with `step`, m.
Eigen::Vector3d gradient(const Field& field, const Eigen::Vector3d& p, double step);

// The point of the zero set near p, by Newton's method along the gradient: at most `steps` steps of at most
// `reach`, m.
Eigen::Vector3d project(const Field& field, Eigen::Vector3d p, double reach, int steps = 8);

// Collapses the shortest edges until `triangles` are left, moving each new vertex onto the zero set, and then
// evens out the vertices along the surface. Keeps the topology; `size` is the length below which the field
// has no detail, m.
Surface simplify(const Surface& surface, std::size_t triangles, const Field& field, double size);

}  // namespace abut::datasets::household
