#pragma once

#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Shapes made by code that volumes_benchmark measures.
namespace abut::volumes_study {

struct Shape {
  std::string name;
  preprocess::TriangleMesh surface;  // m
};

// Fine enough that their facets do not matter at the levels measured.
const std::vector<Shape>& convergence_shapes();
// A thick solid and one with a thin wall.
const std::vector<Shape>& cost_shapes();

}  // namespace abut::volumes_study
