#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/math/pose.h"

namespace abut::body {

// Triangles by the indices of their vertices, in the frame of what they are the surface of.
struct TriangleMesh {
  std::vector<Vec3<double>> vertices;                  // m
  std::vector<std::array<std::int32_t, 3>> triangles;  // counter-clockwise seen from outside
};

}  // namespace abut::body
