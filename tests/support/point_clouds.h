#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

// Oriented point clouds made by code.
namespace abut::test {

// `quads`: four corners for each point; none: squares of the given area.
using Corners = std::array<Vec3<double>, 4>;
inline asset::OrientedPoints make_points(const std::vector<Vec3<double>>& positions,
                                         const std::vector<Vec3<double>>& normals,
                                         const std::vector<double>& areas,
                                         const std::vector<Corners>& quads) {
  asset::OrientedPoints points;
  for (int k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < positions.size(); ++i) {
      points.positions.push_back(positions[i][k]);
      points.normals.push_back(normals[i][k]);
    }
  for (const Corners& quad : quads)
    for (const Vec3<double>& corner : quad) {
      points.quads.push_back(static_cast<std::int32_t>(points.vertices.size() / 3));
      points.vertices.insert(points.vertices.end(), corner.begin(), corner.end());
    }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Vec3<float> low = Vec3<float>::Constant(kInfinity), high = -low;  // one leaf, rounded outwards
  for (const Vec3<double>& p : positions)
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], std::nextafter(static_cast<float>(p[k]), -kInfinity));
      high[k] = std::max(high[k], std::nextafter(static_cast<float>(p[k]), kInfinity));
    }
  for (const bool is_low : {true, false})
    for (int k = 0; k < 3; ++k)
      for (int child = 0; child < bvh::kWidth; ++child)
        points.tree.bounds.push_back(child == 0 ? (is_low ? low[k] : high[k])
                                     : is_low   ? kInfinity
                                                : -kInfinity);
  points.tree.children.assign(bvh::kWidth, 0);
  points.tree.counts = {static_cast<std::int32_t>(positions.size()), -1, -1, -1};
  points.areas = areas;
  points.thickness.assign(positions.size(), 1);
  const double sum = std::accumulate(areas.begin(), areas.end(), 0.0);
  points.spacing = {std::sqrt(sum / static_cast<double>(areas.size())), 0, 0, 0};
  asset::add_blocks(points);
  return points;
}

// Square quads, their edges along `tangents`; none: anywhere.
inline asset::OrientedPoints make_points(const std::vector<Vec3<double>>& positions,
                                         const std::vector<Vec3<double>>& normals, double area_of_each,
                                         const std::vector<Vec3<double>>& tangents = {}) {
  std::vector<Corners> quads;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3<double> n = normals[i], u = tangents.empty() ? n.unitOrthogonal() : tangents[i],
                       v = n.cross(u);
    const double half = std::sqrt(area_of_each) / 2;
    quads.push_back({positions[i] - half * (u + v), positions[i] + half * (u - v),
                     positions[i] + half * (u + v), positions[i] - half * (u - v)});
  }
  return make_points(positions, normals, std::vector<double>(positions.size(), area_of_each), quads);
}

// An asset of points alone.
inline asset::Asset points_asset(asset::OrientedPoints points) {
  asset::Asset asset;
  asset.points.push_back(std::move(points));
  return asset;
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

// The outline |x|, |y| = 1 of a square in the plane z = 0: `per_side` points at the middles of equal parts of
// each side. In that plane the soft distance in space is that of the square in the plane.
inline asset::OrientedPoints square_points(int per_side) {
  std::vector<Vec3<double>> positions, normals;
  for (int side = 0; side < 4; ++side) {
    const Vec3<double> n = side % 2 ? (side - 2) * Vec3<double>::UnitY() : (side - 1) * Vec3<double>::UnitX();
    const Vec3<double> along = Vec3<double>::UnitZ().cross(n);
    for (int i = 0; i < per_side; ++i) {
      positions.push_back(n + ((2 * i + 1.0) / per_side - 1) * along);
      normals.push_back(n);
    }
  }
  return make_points(positions, normals, 4.0 / (per_side * per_side));
}

}  // namespace abut::test
