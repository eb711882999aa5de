#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "tests/support/shapes.h"

// Closed surfaces made by code, for tests of what is made of their inside.
namespace shapes {

using abut::preprocess::Triangle;
using abut::preprocess::TriangleMesh;
using Eigen::Vector3d;

// Twelve triangles.
inline TriangleMesh box(const Vector3d& half) {
  return abut::test::box(2 * half.x(), 2 * half.y(), 2 * half.z());
}

// Every triangle cut into four.
inline TriangleMesh refined(const TriangleMesh& coarse) {
  TriangleMesh mesh;
  mesh.vertices = coarse.vertices;
  std::map<std::pair<int, int>, int> middle;
  const auto mid = [&](int a, int b) {
    const auto [it, added] = middle.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
    if (added) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]) / 2);
    return it->second;
  };
  for (const Triangle& t : coarse.triangles) {
    const int a = mid(t[0], t[1]), b = mid(t[1], t[2]), c = mid(t[2], t[0]);
    for (const Triangle& f :
         {Triangle{t[0], a, c}, Triangle{t[1], b, a}, Triangle{t[2], c, b}, Triangle{a, b, c}})
      mesh.triangles.push_back(f);
  }
  return mesh;
}

inline TriangleMesh box(const Vector3d& half, int levels) {
  TriangleMesh mesh = box(half);
  for (int i = 0; i < levels; ++i) mesh = refined(mesh);
  return mesh;
}

// 20 x 4^levels triangles with vertices on the sphere.
inline TriangleMesh sphere(double radius, int levels) {
  const double g = std::numbers::phi;
  TriangleMesh mesh;
  mesh.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  mesh.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int i = 0; i < levels; ++i) {
    mesh = refined(mesh);
    for (Vector3d& v : mesh.vertices) v.normalize();
  }
  for (Vector3d& v : mesh.vertices) v = radius * v.normalized();
  return mesh;
}

// A closed polyline (x, z), counter-clockwise seen from -y, turned about z: points on the axis are poles.
inline TriangleMesh revolved(const std::vector<std::array<double, 2>>& profile, int sides) {
  TriangleMesh mesh;
  const int n = static_cast<int>(profile.size());
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const auto [r, z] = profile[static_cast<std::size_t>(i)];
    for (int k = 0; k < (r > 0 ? sides : 1); ++k) {
      const double angle = 2 * std::numbers::pi * (k + 0.5 * (i % 2)) / sides;
      rows[static_cast<std::size_t>(i)].push_back(static_cast<int>(mesh.vertices.size()));
      mesh.vertices.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    }
  }
  for (int i = 0; i < n; ++i) {
    const auto &a = rows[static_cast<std::size_t>(i)], &b = rows[static_cast<std::size_t>((i + 1) % n)];
    if (a.size() == 1 && b.size() == 1) continue;  // along the axis
    for (int k = 0; k < sides; ++k) {
      const int l = (k + 1) % sides;
      const auto at = [](const std::vector<int>& row, int j) {
        return row[row.size() == 1 ? 0 : static_cast<std::size_t>(j)];
      };
      // Rows alternate by half a side: the zigzag leans with the row's parity.
      const int a0 = at(a, k), a1 = at(a, l), b0 = at(b, k), b1 = at(b, l);
      const bool lean = i % 2 == 0;
      for (const Triangle& t : lean ? std::array<Triangle, 2>{{{a0, a1, b0}, {a1, b1, b0}}}
                                    : std::array<Triangle, 2>{{{a0, b1, b0}, {a0, a1, b1}}})
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
    }
  }
  return mesh;
}

// A solid of revolution whose profile's edges are cut to pieces of about `edge`.
inline TriangleMesh revolved(std::vector<std::array<double, 2>> corners, double edge, bool closed) {
  std::vector<std::array<double, 2>> profile;
  double largest = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto a = corners[i];
    const auto b = corners[(i + 1) % corners.size()];
    largest = std::max(largest, a[0]);
    const bool last = i + 1 == corners.size();
    const int pieces =
        last && !closed
            ? 1
            : std::max(1, static_cast<int>(std::lround(std::hypot(a[0] - b[0], a[1] - b[1]) / (0.9 * edge))));
    for (int k = 0; k < pieces; ++k)
      profile.push_back({a[0] + (b[0] - a[0]) * k / pieces, a[1] + (b[1] - a[1]) * k / pieces});
  }
  if (profile.size() % 2 == 1 && closed) {
    const auto a = profile.back();
    const auto b = profile.front();
    profile.push_back({(a[0] + b[0]) / 2, (a[1] + b[1]) / 2});
  }
  return revolved(profile, std::max(6, static_cast<int>(std::lround(2 * std::numbers::pi * largest / edge))));
}

inline TriangleMesh cylinder(double radius, double half_height, double edge) {
  return revolved({{0, -half_height}, {radius, -half_height}, {radius, half_height}, {0, half_height}}, edge,
                  false);
}

// A cup: a cylinder with a bore of the given wall.
inline TriangleMesh cup(double radius, double half_height, double wall, double edge) {
  return revolved({{0, -half_height},
                   {radius, -half_height},
                   {radius, half_height},
                   {radius - wall, half_height},
                   {radius - wall, -half_height + wall},
                   {0, -half_height + wall}},
                  edge, false);
}

inline TriangleMesh torus(double radius, double tube, double edge) {
  std::vector<std::array<double, 2>> profile;
  int n = std::max(4, static_cast<int>(std::lround(2 * std::numbers::pi * tube / edge)));
  n += n % 2;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    profile.push_back({radius + tube * std::cos(angle), tube * std::sin(angle)});
  }
  return revolved(profile,
                  std::max(6, static_cast<int>(std::lround(2 * std::numbers::pi * (radius + tube) / edge))));
}

inline TriangleMesh reversed(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

inline TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b) {
  TriangleMesh mesh = a;
  const int offset = static_cast<int>(a.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const Triangle& t : b.triangles)
    mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  return mesh;
}

// The solid between two spheres; 20 x 4^levels triangles each.
inline TriangleMesh spherical_shell(double outer, int outer_levels, double inner, int inner_levels) {
  return joined(sphere(outer, outer_levels), reversed(sphere(inner, inner_levels)));
}

}  // namespace shapes
