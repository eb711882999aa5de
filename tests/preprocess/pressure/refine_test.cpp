#include "preprocess/pressure/refine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/weld.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

// A plate with a hole as drawing programs write it: from every corner of a fine hole long thin triangles.
TriangleMesh plate_with_hole(double size, double hole, double thickness, int corners) {
  TriangleMesh mesh;
  for (const double z : {0.0, thickness})
    for (const double radius : {hole, size})
      for (int i = 0; i < corners; ++i) {
        const double angle = 2 * std::numbers::pi * i / corners;
        const double square =
            radius == size ? 1 / std::max(std::abs(std::cos(angle)), std::abs(std::sin(angle))) : 1;
        mesh.vertices.emplace_back(radius * square * std::cos(angle), radius * square * std::sin(angle), z);
      }
  for (std::int32_t i = 0; i < corners; ++i) {
    const std::int32_t j = (i + 1) % corners;
    const auto quad = [&](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    };
    const std::int32_t inner = 0, outer = corners, top = 2 * corners;
    quad(inner + i, inner + j, outer + j, outer + i);
    quad(top + inner + i, top + outer + i, top + outer + j, top + inner + j);
    quad(outer + i, outer + j, top + outer + j, top + outer + i);
    quad(inner + i, top + inner + i, top + inner + j, inner + j);
  }
  return mesh;
}

// Angles of all triangles, degrees, ascending: the least of each.
std::vector<double> least_angles(const TriangleMesh& mesh) {
  std::vector<double> angles;
  for (const Triangle& t : mesh.triangles) {
    double least = 180;
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d &a = mesh.vertices[t[k]], &b = mesh.vertices[t[(k + 1) % 3]],
                            &c = mesh.vertices[t[(k + 2) % 3]];
      const Eigen::Vector3d u = b - a, v = c - a;
      least = std::min(least, std::atan2(u.cross(v).norm(), u.dot(v)) * 180 / std::numbers::pi);
    }
    angles.push_back(least);
  }
  std::sort(angles.begin(), angles.end());
  return angles;
}

// A block whose top is folded by 3e-5 rad along its longer diagonal, as coordinates of few digits have it:
// the fold stays, and new vertices lie on either side of it.
TEST(Refine, KeepsFoldsThatAreNoRounding) {
  constexpr double kLift = 1e-5;
  TriangleMesh block;
  for (const double z : {0.0, 0.3})
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, -0.2}, {1.4, 0.6}, {0.3, 0.4}})
      block.vertices.emplace_back(x, y, z);
  block.vertices[5].z() += kLift;
  block.triangles = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                     {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
  const std::vector<Eigen::Vector3d>& at = block.vertices;
  const Eigen::Vector3d fold = at[6] - at[4], lifted = (at[5] - at[4]).cross(fold);
  int beside = 0;
  for (const Eigen::Vector3d& p : refine(block, 400).vertices) {
    const bool right = fold.cross(p - at[4]).z() < 0;
    const Eigen::Vector3d n = right ? lifted.normalized() : -Eigen::Vector3d::UnitZ();
    if (p.z() < 0.2 || std::abs(n.dot(p - at[4])) > 2e-5) continue;  // not of the top
    ++beside;
    EXPECT_LT(std::abs(n.dot(p - at[4])), 2e-7) << p.transpose();
  }
  EXPECT_GT(beside, 20);
}

TEST(Refine, MakesAsManyTrianglesOfTheSameSolid) {
  const TriangleMesh plate = plate_with_hole(0.04, 0.006, 0.01, 64);
  const TriangleMesh fine = refine(plate, 2000);
  EXPECT_GE(fine.triangles.size(), 2000U);
  EXPECT_LE(fine.triangles.size(), 2001U);
  EXPECT_EQ(find_fault(fine), "");
  EXPECT_NEAR(volume(fine), volume(plate), 1e-12 * volume(plate));
}

TEST(Refine, LongThinTrianglesOfAPlateAreNotCutIntoMoreOfThem) {
  const std::vector<double> angles = least_angles(refine(plate_with_hole(0.04, 0.006, 0.01, 64), 2000));
  EXPECT_GT(angles[angles.size() / 2], 25);
  EXPECT_GT(angles[angles.size() / 4], 7);  // of the hole's wall and rim, whose edges are short
}

TEST(Refine, ABoxIsCutEvenly) {
  const std::vector<double> angles = least_angles(refine(test::box(0.1, 0.1, 0.1), 1000));
  EXPECT_GT(angles.front(), 25);
}

}  // namespace
}  // namespace abut::preprocess
