#include <gtest/gtest.h>

#include <filesystem>

#include "exact_check.h"
#include "preprocess/mesh/close.h"
#include "preprocess/mesh/read.h"
#include "preprocess/mesh/weld.h"
#include "tests/support/runs.h"

namespace abut::preprocess {
namespace {

struct Expected {
  const char* name;
  int genus;
};

void PrintTo(const Expected& object, std::ostream* out) { *out << object.name; }

class Ycb : public testing::TestWithParam<Expected> {};

TEST_P(Ycb, ClosesWithinHalfAPercentAndFreeOfSelfIntersection) {
  const std::filesystem::path file =
      std::filesystem::path(ABUT_SHARED_DIR) / "data/ycb" / GetParam().name / "google_16k/textured.obj";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << file << " is missing: no reference data beside the project";
  Report report;
  const TriangleMesh soup = read_mesh(file, 1, report);
  const ClosedSurface closed = close_surface(soup, {}, report);
  EXPECT_TRUE(is_closed_and_oriented(closed.surface));
  EXPECT_EQ(count_exact_intersections(closed.surface), 0u);
  EXPECT_GT(volume(closed.surface), 0);
  EXPECT_LT(report.measures.at("hausdorff_to_input_percent"), 0.5);
  EXPECT_EQ(report.measures.count("wrapped"), 0u);
  EXPECT_EQ(report.measures.at("genus"), GetParam().genus);
  // The hull is that of the scan's own vertices, without tips of flaps and specks, which have no volume.
  const double vertices = report.measures.at("input_vertices") - report.measures.at("welded_vertices");
  EXPECT_LE(closed.hull_points.size(), vertices);
  EXPECT_GE(closed.hull_points.size(), 0.999 * vertices);
}

// The oracle must see what is there: two boxes' faces through each other, and a fold about an edge.
TEST(ExactCheck, FindsFaults) {
  TriangleMesh crossing;
  crossing.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, -1}, {0.2, 0.2, 1}, {1, 1, 1}};
  crossing.triangles = {{0, 1, 2}, {3, 4, 5}};
  EXPECT_EQ(count_exact_intersections(crossing), 1u);
  crossing.triangles = {{0, 1, 2}, {0, 4, 3}};
  EXPECT_EQ(count_exact_intersections(crossing), 1u);
  crossing.vertices[3] = {0.5, 0.5, 0};
  crossing.triangles = {{0, 1, 2}, {1, 0, 3}};
  EXPECT_EQ(count_exact_intersections(crossing), 1u);
  crossing.vertices[3] = {0.5, -0.5, 0};
  EXPECT_EQ(count_exact_intersections(crossing), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Ycb,
                         testing::ValuesIn(test::fewer_if_sanitized<Expected>({{"002_master_chef_can", 0},
                                                                               {"003_cracker_box", 0},
                                                                               {"004_sugar_box", 0},
                                                                               {"005_tomato_soup_can", 0},
                                                                               {"006_mustard_bottle", 0},
                                                                               {"007_tuna_fish_can", 0},
                                                                               {"009_gelatin_box", 0},
                                                                               {"010_potted_meat_can", 0},
                                                                               {"011_banana", 0},
                                                                               {"019_pitcher_base", 1},
                                                                               {"025_mug", 1},
                                                                               {"035_power_drill", 0},
                                                                               {"036_wood_block", 0},
                                                                               {"051_large_clamp", 4},
                                                                               {"061_foam_brick", 0}})),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace abut::preprocess
