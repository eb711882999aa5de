#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "exact_check.h"
#include "preprocess/mesh/close.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/weld.h"

// Meshes that are closed, and the judge of what comes of it.
namespace abut::preprocess {

// The boundary of the unit voxels of an nx x ny x nz grid that `solid` marks, triangulated, vertices shared.
inline TriangleMesh voxels(int nx, int ny, int nz, const std::function<bool(int, int, int)>& solid) {
  TriangleMesh soup;
  const auto filled = [&](const Eigen::Vector3i& c) {
    return c.minCoeff() >= 0 && c.x() < nx && c.y() < ny && c.z() < nz && solid(c.x(), c.y(), c.z());
  };
  for (int i = 0; i < nx * ny * nz; ++i) {
    const Eigen::Vector3i c(i % nx, i / nx % ny, i / (nx * ny));
    if (!filled(c)) continue;
    for (int axis = 0; axis < 3; ++axis) {
      for (const int sign : {-1, 1}) {
        if (filled(c + sign * Eigen::Vector3i::Unit(axis))) continue;
        const Eigen::Vector3d u = Eigen::Vector3d::Unit((axis + 1) % 3),
                              v = Eigen::Vector3d::Unit((axis + 2) % 3);
        const Eigen::Vector3d corner =
            c.cast<double>() + (sign > 0 ? 1.0 : 0.0) * Eigen::Vector3d::Unit(axis);
        const auto n = static_cast<std::int32_t>(soup.vertices.size());
        for (const Eigen::Vector3d& p : {corner, Eigen::Vector3d(corner + u), Eigen::Vector3d(corner + u + v),
                                         Eigen::Vector3d(corner + v)}) {
          soup.vertices.push_back(p);
        }
        if (sign > 0) {
          soup.triangles.insert(soup.triangles.end(), {{n, n + 1, n + 2}, {n, n + 2, n + 3}});
        } else {
          soup.triangles.insert(soup.triangles.end(), {{n, n + 2, n + 1}, {n, n + 3, n + 2}});
        }
      }
    }
  }
  return weld(soup).mesh;
}

inline TriangleMesh box(int nx = 4, int ny = 4, int nz = 4) {
  return voxels(nx, ny, nz, [](int, int, int) { return true; });
}

inline TriangleMesh sphere(int rings = 40, int segments = 80,
                           const Eigen::Vector3d& centre = Eigen::Vector3d::Zero()) {
  TriangleMesh mesh;
  for (int i = 1; i < rings; ++i) {
    for (int j = 0; j < segments; ++j) {
      const double a = std::numbers::pi * i / rings, b = 2 * std::numbers::pi * j / segments;
      mesh.vertices.push_back(
          centre + Eigen::Vector3d(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)));
    }
  }
  mesh.vertices.push_back(centre + Eigen::Vector3d::UnitZ());
  mesh.vertices.push_back(centre - Eigen::Vector3d::UnitZ());
  const int north = (rings - 1) * segments, south = north + 1;
  for (int j = 0; j < segments; ++j) {
    const int k = (j + 1) % segments;
    mesh.triangles.push_back({north, j, k});
    mesh.triangles.push_back({south, (rings - 2) * segments + k, (rings - 2) * segments + j});
    for (int i = 0; i + 2 < rings; ++i) {
      const int a = i * segments + j, b = i * segments + k;
      mesh.triangles.push_back({a, a + segments, b});
      mesh.triangles.push_back({b, a + segments, b + segments});
    }
  }
  return mesh;
}

class Close : public testing::Test {
 protected:
  // Closes the soup and has the result judged by the oracle.
  ClosedSurface close(const TriangleMesh& soup) {
    report_ = {};
    ClosedSurface closed = close_surface(soup, parameters_, report_);
    EXPECT_TRUE(is_closed_and_oriented(closed.surface));
    EXPECT_EQ(count_exact_intersections(closed.surface), 0u);
    EXPECT_GT(volume(closed.surface), 0);
    return closed;
  }

  bool has_warning(const std::string& part) const {
    for (const std::string& w : report_.warnings) {
      if (w.find(part) != w.npos) return true;
    }
    return false;
  }

  std::string all_warnings() const {
    std::string all;
    for (const std::string& w : report_.warnings) all += w + "\n";
    return all;
  }

  double measure(const std::string& name) const { return report_.measures.at(name); }

  CloseParameters parameters_;
  Report report_;
};

}  // namespace abut::preprocess
