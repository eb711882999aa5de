#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "preprocess/index/index.h"
#include "runtime/core/error.h"
#include "tests/support/shapes.h"
#include "tests/support/worst_of.h"

namespace {

using abut::asset::Surface;
using abut::preprocess::build_surface;
using abut::preprocess::TriangleMesh;
using Corners = std::array<std::array<double, 3>, 3>;

// Triangles as coordinates, the smallest corner first: a form that renumbering does not change.
std::multiset<Corners> triangle_set(const TriangleMesh& mesh) {
  std::multiset<Corners> set;
  for (const auto& t : mesh.triangles) {
    Corners corners;
    for (int k = 0; k < 3; ++k) std::copy_n(mesh.vertices[t[k]].data(), 3, corners[k].data());
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    set.insert(corners);
  }
  return set;
}

TriangleMesh to_mesh(const Surface& surface) {
  TriangleMesh mesh;
  for (std::size_t i = 0; i < surface.vertices.size(); i += 3)
    mesh.vertices.emplace_back(surface.vertices[i], surface.vertices[i + 1], surface.vertices[i + 2]);
  for (std::size_t i = 0; i < surface.triangles.size(); i += 3)
    mesh.triangles.push_back({surface.triangles[i], surface.triangles[i + 1], surface.triangles[i + 2]});
  return mesh;
}

void check(const TriangleMesh& mesh) {
  const Surface surface = build_surface(mesh);
  EXPECT_EQ(triangle_set(to_mesh(surface)), triangle_set(mesh));
  std::int32_t used = 0;
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    ASSERT_LE(surface.triangles[i], used);  // numbered by first use
    used = std::max(used, surface.triangles[i] + 1);
    const std::int32_t t = static_cast<std::int32_t>(i / 3), n = surface.neighbours[i];
    const std::int32_t a = surface.triangles[i], b = surface.triangles[3 * t + (i + 1) % 3];
    bool opposite = false;
    for (int k = 0; k < 3; ++k)
      opposite |= surface.neighbours[3 * n + k] == t && surface.triangles[3 * n + k] == b &&
                  surface.triangles[3 * n + (k + 1) % 3] == a;
    ASSERT_TRUE(opposite);
  }
  EXPECT_EQ(3 * used, static_cast<std::int32_t>(surface.vertices.size()));
  EXPECT_EQ(surface.vertices.size(), surface.vertex_normals.size());
}

TEST(BuildSurface, KeepsEveryTriangleAndFindsTheNeighbours) {
  check(abut::test::box(1, 2, 3));
  check(abut::test::torus(1, 0.3, 30, 14));
  TriangleMesh unused = abut::test::sphere(1, 3);
  unused.vertices.insert(unused.vertices.begin(), Eigen::Vector3d(9, 9, 9));
  for (auto& t : unused.triangles)
    for (auto& v : t) ++v;
  check(unused);
}

TEST(BuildSurface, RealMeshes) {
  for (const char* object : {"003_cracker_box", "011_banana", "036_wood_block", "061_foam_brick"}) {
    const auto mesh = abut::test::welded_ycb(object);
    if (!mesh) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    check(*mesh);
  }
}

// At a box's corner the three faces count alike, however they are divided into triangles.
TEST(BuildSurface, PseudonormalsDoNotDependOnTheTriangulation) {
  const Surface box = build_surface(abut::test::box(1, 2, 3));
  for (std::size_t i = 0; i < box.vertices.size(); ++i)
    EXPECT_NEAR(box.vertex_normals[i], std::copysign(1 / std::sqrt(3.0), box.vertices[i]), 1e-15);
}

// On a sphere the pseudonormals tend to the radius as fast as the edges get shorter.
TEST(BuildSurface, PseudonormalsConvergeOnASphere) {
  double coarse = 0;
  for (const int level : {3, 4, 5}) {
    const Surface sphere = build_surface(abut::test::sphere(2, level));
    double error = 0;
    for (std::size_t i = 0; i < sphere.vertices.size(); ++i)
      error = abut::test::worst_of(error, std::abs(sphere.vertex_normals[i] - sphere.vertices[i] / 2));
    if (level > 3) {
      EXPECT_LT(error, 0.6 * coarse);
    }
    coarse = error;
  }
  EXPECT_LT(coarse, 5e-3);
}

// A box and a tetrahedron that touch in a corner, by index or by position: the pseudonormal there sums over
// both.
TEST(BuildSurface, TouchingSheetsShareTheirPseudonormal) {
  TriangleMesh mesh = abut::test::box(1, 1, 1);
  for (const Eigen::Vector3d& p :
       {Eigen::Vector3d(0.5, 0.5, 0.5), {2, 0.7, 0.8}, {0.7, 2, 0.6}, {0.7, 0.6, 1.2}})
    mesh.vertices.push_back(p);
  for (const abut::preprocess::Triangle& t :
       {abut::preprocess::Triangle{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}})
    mesh.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  const Surface apart = build_surface(mesh);
  for (auto& t : mesh.triangles)
    for (auto& v : t) v = v == 8 ? 7 : v;
  const Surface joined = build_surface(mesh);
  EXPECT_EQ(joined.vertices.size() + 3, apart.vertices.size());
  std::vector<Eigen::Vector3d> normals;
  for (const Surface& surface : {apart, joined}) {
    for (std::size_t i = 0; i < surface.vertices.size(); i += 3) {
      if (Eigen::Vector3d::Map(&surface.vertices[i]) == Eigen::Vector3d(0.5, 0.5, 0.5))
        normals.emplace_back(Eigen::Vector3d::Map(&surface.vertex_normals[i]));
    }
  }
  ASSERT_EQ(normals.size(), 3u);
  for (const auto& n : normals) EXPECT_LT((n - normals[0]).norm(), 1e-15);
  EXPECT_GT((normals[0] - Eigen::Vector3d::Constant(1 / std::sqrt(3.0))).norm(), 0.05);
}

std::string refusal(const TriangleMesh& mesh) {
  try {
    build_surface(mesh);
  } catch (const abut::InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BuildSurface, RefusesWhatIsNotClosed) {
  const TriangleMesh whole = abut::test::box(1, 1, 1);
  TriangleMesh mesh = whole;
  mesh.triangles.pop_back();
  EXPECT_NE(refusal(mesh).find("one side only"), std::string::npos);
  EXPECT_NE(refusal(mesh).find("0.5"), std::string::npos);
  mesh = whole;
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
  EXPECT_NE(refusal(mesh).find("edge"), std::string::npos);
  mesh = whole;
  for (const auto& t : whole.triangles) mesh.triangles.push_back(t);
  EXPECT_NE(refusal(mesh).find("more than two"), std::string::npos);
  mesh = whole;
  mesh.triangles[2] = {1, 1, 3};
  EXPECT_NE(refusal(mesh).find("triangle 2"), std::string::npos);
  mesh = whole;
  mesh.triangles[4][2] = -1;
  EXPECT_NE(refusal(mesh).find("triangle 4"), std::string::npos);
  mesh = whole;
  mesh.vertices[6].x() = std::nan("");
  EXPECT_NE(refusal(mesh).find("vertex 6"), std::string::npos);
  EXPECT_NE(refusal(TriangleMesh{}).find("no triangles"), std::string::npos);
}

}  // namespace
