// Surfaces of several parts: which are kept, and what they are together.
#include <gtest/gtest.h>

#include "close_fixture.h"
#include "tests/support/hulls.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

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
