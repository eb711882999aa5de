// Surfaces of several parts: which are kept, and what they are together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "close_fixture.h"
#include "tests/support/hulls.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

// A cup, as its profile turned about z, and a handle, a bent rod whose ends lie within the cup's wall.
TriangleMesh mug_of_two_parts() {
  const double profile[][2] = {{0.04, -0.045}, {0.04, 0.045}, {0.036, 0.045}, {0.036, -0.04}};
  constexpr int kAround = 48, kAlong = 24, kSides = 12;
  constexpr double kPi = std::numbers::pi;
  TriangleMesh mesh;
  auto& v = mesh.vertices;
  // Rings of n vertices one after another, closed by a vertex at either end.
  const auto tube = [&](int rings, int n, const Eigen::Vector3d& first, const Eigen::Vector3d& last,
                        auto&& at) {
    const auto begin = static_cast<std::int32_t>(v.size());
    for (int i = 0; i < rings; ++i)
      for (int k = 0; k < n; ++k) v.push_back(at(i, 2 * kPi * k / n));
    v.push_back(first), v.push_back(last);
    for (int k = 0; k < n; ++k) {
      const std::int32_t a = begin + k, b = begin + (k + 1) % n, end = begin + n * (rings - 1);
      for (int i = 0; i + 1 < rings; ++i) {
        mesh.triangles.push_back({a + n * i, b + n * i, b + n * (i + 1)});
        mesh.triangles.push_back({a + n * i, b + n * (i + 1), a + n * (i + 1)});
      }
      mesh.triangles.push_back({begin + n * rings, b, a});
      mesh.triangles.push_back({begin + n * rings + 1, end + k, end + (k + 1) % n});
    }
  };
  tube(4, kAround, {0, 0, profile[0][1]}, {0, 0, profile[3][1]}, [&](int i, double a) {
    return Eigen::Vector3d(profile[i][0] * std::cos(a), profile[i][0] * std::sin(a), profile[i][1]);
  });
  const auto middle = [](int i) {
    const double a = 0.05 + (kPi - 0.1) * i / (kAlong - 1);
    return Eigen::Vector3d(0.038 + 0.03 * std::sin(a), 0, -0.03 * std::cos(a));
  };
  tube(kAlong, kSides, middle(0), middle(kAlong - 1), [&](int i, double a) {
    const Eigen::Vector3d along =
                              (middle(std::min(i + 1, kAlong - 1)) - middle(std::max(i - 1, 0))).normalized(),
                          side = Eigen::Vector3d::UnitY();
    return Eigen::Vector3d(middle(i) + 0.005 * (std::cos(a) * side + std::sin(a) * along.cross(side)));
  });
  return mesh;
}

TEST_F(Close, KeepsTheLargestPartOrAllOnRequest) {
  TriangleMesh mesh = box();
  append_mesh(mesh, voxels(2, 2, 2, [](int, int, int) { return true; }));
  for (std::size_t v = mesh.vertices.size() - 26; v < mesh.vertices.size(); ++v) mesh.vertices[v].x() += 10;
  const ClosedSurface closed = close(mesh);
  EXPECT_EQ(closed.hull_points.size(), mesh.vertices.size() - 26);
  EXPECT_DOUBLE_EQ(volume(closed.surface), 64);
  EXPECT_TRUE(has_warning("1 of 2 separate parts dropped")) << all_warnings();
  parameters_.all_components = true;
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 72);
  EXPECT_TRUE(report_.warnings.empty()) << all_warnings();
}

TEST_F(Close, KeepsACavityWithAllPartsAndNamesItWhenDropped) {
  // A box of side 10 with a hollow of side 5.
  TriangleMesh mesh = box(10, 10, 10), hollow = box(5, 5, 5);
  for (auto& v : hollow.vertices) v += Eigen::Vector3d(2.25, 2.5, 2.125);
  TriangleMesh embedded = mesh;
  append_mesh(embedded, hollow);
  for (Triangle& t : hollow.triangles) std::swap(t[0], t[1]);
  append_mesh(mesh, hollow);
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 1000);
  EXPECT_TRUE(has_warning("1 cavity")) << all_warnings();
  parameters_.all_components = true;
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 875);
  EXPECT_EQ(measure("cavities"), 1);
  EXPECT_TRUE(report_.warnings.empty()) << all_warnings();
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 875);
  EXPECT_TRUE(has_warning("inside out")) << all_warnings();
  // A solid within a solid adds nothing.
  EXPECT_DOUBLE_EQ(volume(close(embedded).surface), 1000);
}

TEST_F(Close, TheOuterShellIsTheObjectWhereACavityHasMoreArea) {
  TriangleMesh mesh = box(10, 10, 10), hollow = sphere(12, 24);
  for (std::size_t v = 0; v < hollow.vertices.size(); ++v)
    hollow.vertices[v] = (v % 2 == 0 ? 4.9 : 1.5) * hollow.vertices[v] + Eigen::Vector3d(5, 5, 5);
  for (Triangle& t : hollow.triangles) std::swap(t[0], t[1]);
  ASSERT_GT(area(hollow), 1.1 * area(mesh));
  const double hole = -volume(hollow);
  TriangleMesh first = hollow;
  append_mesh(first, mesh);
  append_mesh(mesh, hollow);
  for (const TriangleMesh& either : {mesh, first}) {
    EXPECT_NEAR(volume(close(either).surface), 1000, 1e-9);
    EXPECT_TRUE(has_warning("1 cavity")) << all_warnings();
    EXPECT_FALSE(has_warning("inside out")) << all_warnings();
  }
  parameters_.all_components = true;
  EXPECT_NEAR(volume(close(mesh).surface), 1000 - hole, 1e-9);
}

TEST_F(Close, ACavityIsTakenFromWhatHoldsItNotFromWhatReachesIntoIt) {
  // The same with a rod, larger than the hollow, from within it out through the wall.
  TriangleMesh mesh = box(10, 10, 10), hollow = box(5, 5, 5), rod = box(2, 2, 40);
  for (auto& v : hollow.vertices) v += Eigen::Vector3d(2.25, 2.5, 2.125);
  for (auto& v : rod.vertices) v += Eigen::Vector3d(4.125, 4.25, 5.0625);
  for (Triangle& t : hollow.triangles) std::swap(t[0], t[1]);
  append_mesh(mesh, hollow);
  append_mesh(mesh, rod);
  parameters_.all_components = true;
  const double within = 4 * (7.125 - 5.0625), outside = 4 * (45.0625 - 10);
  EXPECT_NEAR(volume(close(mesh).surface), 875 + within + outside, 1e-9);
}

// The corners of a union, rounded to doubles, make faces cross at some of these sizes.
TEST_F(Close, AHandleInACupsWallIsUnitedAtAnySize) {
  for (const double scale : {1.0, 1e3, 1e-3, 0.0254, 0.01, 0.1, 100.0, 3.7}) {
    TriangleMesh mug = mug_of_two_parts();
    for (Eigen::Vector3d& v : mug.vertices) v *= scale;
    report_ = {};
    parameters_.all_components = true;
    const ClosedSurface closed = close(mug);
    EXPECT_NEAR(volume(closed.surface), 1.12776243e-4 * std::pow(scale, 3), 1e-9 * std::pow(scale, 3))
        << scale;
    EXPECT_TRUE(has_warning("2 parts united that overlap")) << scale << ": " << all_warnings();
  }
}

// What is the middle of one part, which growing leaves where it is, lies in a face of the other, but for
// rounding.
TEST_F(Close, ARingWhoseMiddleLiesInABoxsFaceIsUnited) {
  for (const double aside : {0.0, 0.01, 0.03}) {
    TriangleMesh mesh = abut::test::box(0.05, 0.05, 0.08), ring = abut::test::torus(0.03, 0.006, 24, 8);
    for (Eigen::Vector3d& v : mesh.vertices) v.z() -= 0.04;
    for (Eigen::Vector3d& v : ring.vertices) v.x() += aside;
    const double apart = volume(mesh) + volume(ring);
    append_mesh(mesh, ring);
    report_ = {};
    parameters_.all_components = true;
    const double together = volume(close(mesh).surface);
    EXPECT_GT(together, 0.0002);
    EXPECT_LT(together, apart);
    EXPECT_TRUE(has_warning("2 parts united that overlap")) << aside << ": " << all_warnings();
  }
}

TEST_F(Close, MergesOverlappingPartsWhenAllAreKept) {
  TriangleMesh mesh = sphere();
  append_mesh(mesh, sphere(40, 80, {1, 0.01, 0.02}));
  parameters_.all_components = true;
  // Two unit spheres at distance d: 8/3 pi minus the lens pi (4 + d) (2 - d)^2 / 12.
  const double lens = std::numbers::pi * (4 + 1.00025) * std::pow(2 - 1.00025, 2) / 12;
  EXPECT_NEAR(volume(close(mesh).surface), 8 * std::numbers::pi / 3 - lens, 0.05);
}

TEST_F(Close, UnitesAChairOfTouchingBoxesWhereItIs) {
  const ClosedSurface closed = close(test::chair_of_boxes());
  EXPECT_NEAR(volume(closed.surface), 0.4 * 0.4 * 0.04 + 0.4 * 0.04 * 0.48 + 4 * 0.04 * 0.04 * 0.43, 1e-15);
  EXPECT_LT(measure("hausdorff_to_input_percent"), 1e-9);  // the tops of the legs lie within the solid
}

// Faces that were one plane's are so but for rounding.
TEST_F(Close, UnitesAChairOfTouchingBoxesInAnyFrame) {
  Random random(3, 0);
  for (int turn = 0; turn < 20; ++turn) {
    const Eigen::Matrix3d R = test::random_rotation(random);
    TriangleMesh chair = test::chair_of_boxes();
    for (Eigen::Vector3d& vertex : chair.vertices) vertex = R * vertex;
    const double solid = 0.4 * 0.4 * 0.04 + 0.4 * 0.04 * 0.48 + 4 * 0.04 * 0.04 * 0.43;
    report_ = {};
    EXPECT_NEAR(volume(close(chair).surface) / solid, 1, 1e-4) << turn;
    EXPECT_LT(measure("hausdorff_to_input_percent"), 2e-3) << turn;
    EXPECT_EQ(report_.measures.count("wrapped"), 0U) << turn;
  }
}

}  // namespace
}  // namespace abut::preprocess
