#pragma once

#include <vector>

#include "datasets/household/implicit.h"
#include "datasets/household/surface.h"

// The sound objects of the household set: closed, oriented outward, connected, free of self-intersections.
namespace abut::datasets::household {

struct Shape {
  const char* name;
  Surface surface;
  double volume;  // m^3, from the shape's formula
  int genus;
};

// Makes all shapes, about 16k triangles each, in the order of the set.
std::vector<Shape> make_shapes();

// Fields of the implicit shapes.
double mug_field(const Eigen::Vector3d& p);
double clamp_field(const Eigen::Vector3d& p);
double scissors_field(const Eigen::Vector3d& p);

}  // namespace abut::datasets::household
