#pragma once

#include <vector>

#include "datasets/household/implicit.h"
#include "datasets/household/surface.h"

// The objects of the household set, sound: closed, oriented outward, connected, free of self-intersection.
namespace abut::datasets::household {

struct Shape {
  const char* name;
  Surface surface;
  double volume;  // m^3, from the shape's formula
  int genus;
};

// About 16k triangles each, in the order of their names.
std::vector<Shape> make_shapes();

// The implicit ones.
double mug_field(const Eigen::Vector3d& p);
double clamp_field(const Eigen::Vector3d& p);
double scissors_field(const Eigen::Vector3d& p);

}  // namespace abut::datasets::household
