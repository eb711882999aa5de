#pragma once

#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"

// What volumes_benchmark measures on shapes made by code.
namespace abut::volumes_study {

struct Shape {
  std::string name;
  preprocess::TriangleMesh surface;
};

const std::vector<Shape>& cost_shapes();

}  // namespace abut::volumes_study
