#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

// Oriented point clouds made by code.
namespace abut::test {

inline asset::OrientedPoints make_points(const std::vector<Vec3<double>>& positions,
                                         const std::vector<Vec3<double>>& normals, double area_of_each) {
  asset::OrientedPoints points;
  for (int k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < positions.size(); ++i) {
      points.positions.push_back(positions[i][k]);
      points.normals.push_back(normals[i][k]);
    }
  points.areas.assign(positions.size(), area_of_each);
  points.thickness.assign(positions.size(), 1);
  points.spacing = {std::sqrt(area_of_each), 0, 0, 0};
  asset::add_blocks(points);
  return points;
}

// Points spread evenly over a sphere (a spiral), with outward normals.
inline asset::OrientedPoints sphere_points(double radius, int count) {
  std::vector<Vec3<double>> positions, normals;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, a = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const double r = std::sqrt(1 - z * z);
    normals.emplace_back(r * std::cos(a), r * std::sin(a), z);
    positions.push_back(radius * normals.back());
  }
  return make_points(positions, normals, 4 * std::numbers::pi * radius * radius / count);
}

}  // namespace abut::test
