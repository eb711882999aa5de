#include "preprocess/mesh/close.h"

#include <gtest/gtest.h>

#include "preprocess/mesh/weld.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// A unit cube, two triangles a side, outward.
TriangleMesh cube(const Eigen::Vector3d& at = Eigen::Vector3d::Zero(), double side = 1) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(at + side * Eigen::Vector3d(i & 1, (i >> 1) & 1, i >> 2));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

bool has_warning(const Report& report, const std::string& part) {
  for (const std::string& w : report.warnings) {
    if (w.find(part) != w.npos) return true;
  }
  return false;
}

TEST(Close, LeavesACleanSurfaceAsItIs) {
  Report report;
  const ClosedSurface closed = close_surface(cube(), {}, report);
  EXPECT_EQ(closed.surface.triangles.size(), 12u);
  EXPECT_EQ(closed.hull_points.size(), 8u);
  EXPECT_DOUBLE_EQ(volume(closed.surface), 1);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(report.measures.at("hausdorff_to_input_percent"), 0);
  EXPECT_EQ(report.measures.at("genus"), 0);
}

TEST(Close, TurnsAnInsideOutSurface) {
  TriangleMesh mesh = cube();
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  Report report;
  EXPECT_DOUBLE_EQ(volume(close_surface(mesh, {}, report).surface), 1);
  EXPECT_TRUE(has_warning(report, "inside out"));
}

TEST(Close, KeepsTheLargestPart) {
  TriangleMesh mesh = cube();
  const TriangleMesh other = cube({3, 0, 0}, 0.5);
  for (const auto& v : other.vertices) mesh.vertices.push_back(v);
  for (const auto& t : other.triangles) mesh.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  Report report;
  const ClosedSurface closed = close_surface(mesh, {}, report);
  EXPECT_EQ(closed.hull_points.size(), 8u);
  EXPECT_DOUBLE_EQ(volume(closed.surface), 1);
  EXPECT_TRUE(has_warning(report, "1 of 2 separate parts dropped"));
  Report both;
  CloseParameters parameters;
  parameters.all_components = true;
  EXPECT_DOUBLE_EQ(volume(close_surface(mesh, parameters, both).surface), 1.125);
  EXPECT_TRUE(both.warnings.empty());
}

TEST(Close, RefusesWhatHasNoVolume) {
  Report report;
  TriangleMesh flat = cube();
  for (auto& v : flat.vertices) v.z() = 0;
  EXPECT_THROW(close_surface(flat, {}, report), InvalidInput);
  TriangleMesh sheet = cube();
  sheet.triangles = {{0, 2, 1}, {1, 2, 4}, {0, 1, 2}, {4, 2, 1}};  // folded, both sides coincident
  EXPECT_THROW(close_surface(sheet, {}, report), InvalidInput);
  EXPECT_THROW(close_surface({}, {}, report), InvalidInput);
}

}  // namespace
}  // namespace abut::preprocess
