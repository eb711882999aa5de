#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <vector>

namespace abut::datasets::household {

using Triangle = std::array<std::int32_t, 3>;

struct Surface {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Triangle> triangles;        // counter-clockwise seen from outside
};

// Twice the triangle's area times its unit normal.
inline Eigen::Vector3d area_normal(const Surface& surface, const Triangle& t) {
  const Eigen::Vector3d& a = surface.vertices[t[0]];
  return (surface.vertices[t[1]] - a).cross(surface.vertices[t[2]] - a);
}

inline Eigen::Vector3d centroid(const Surface& surface, const Triangle& t) {
  return (surface.vertices[t[0]] + surface.vertices[t[1]] + surface.vertices[t[2]]) / 3;
}

}  // namespace abut::datasets::household
