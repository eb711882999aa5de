#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/math/pose.h"

namespace abut::body {

// A triangle mesh, indexed, in the frame of the shape whose surface it is.
struct TriangleMesh {
  std::vector<Vec3<double>> vertices;                  // m
  std::vector<std::array<std::int32_t, 3>> triangles;  // counter-clockwise seen from outside
};

}  // namespace abut::body
