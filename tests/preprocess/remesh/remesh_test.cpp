#include "preprocess/remesh/remesh.h"

#include <gtest/gtest.h>

#include <numbers>

#include "preprocess/remesh/oriented_points.h"
#include "preprocess/remesh/point_levels.h"
#include "preprocess/remesh/quad_quality.h"
#include "runtime/asset/schema.h"
#include "runtime/core/error.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut::preprocess;
using abut::InvalidInput;

TEST(ReferenceSurface, KnowsTheSideAndTheThicknessOfAPlate) {
  const ReferenceSurface plate(abut::test::box(0.1, 0.1, 0.001));
  const Eigen::Vector3d up(0, 0, 1), low(0.01, 0.02, -0.0003);
  // The point is nearer to the lower side; the upper one is asked for.
  const FootPoint foot = plate.closest_facing(low, {&up, 1}, 0.5, 0.01);
  EXPECT_NEAR(foot.position.z(), 0.0005, 1e-15);
  EXPECT_NEAR(plate.closest(low).position.z(), -0.0005, 1e-15);
  EXPECT_NEAR(plate.thickness(foot), 0.001, 1e-15);
  EXPECT_EQ(plate.closest_facing(low, {&up, 1}, 0.5, 0.0007).triangle, -1) << "beyond its reach";
  EXPECT_NEAR(plate.signed_distance(low), -0.0002, 1e-15);
}

TEST(Remesh, ASphereIsEven) {
  const TriangleMesh closed = abut::test::sphere(0.05, 4);
  const ReferenceSurface surface(closed);
  Report report;
  const QuadMesh mesh = remesh(closed, surface, {.target = {QuadTarget::Kind::kQuads, 1000}}, report).mesh;
  EXPECT_EQ(find_topological_fault(mesh), "");
  const QuadQuality q = measure(mesh, closed, surface);
  EXPECT_NEAR(static_cast<double>(q.quads), 1000, 150);
  EXPECT_EQ(q.flips, 0u);
  EXPECT_EQ(q.self_intersections, 0u);
  EXPECT_EQ(q.bad_edges, 0u);
  EXPECT_LT(q.hausdorff_in_out, 1);
}

TEST(Remesh, TheSameBitsAgain) {
  const TriangleMesh closed = abut::test::torus(0.05, 0.02, 40, 24);
  const ReferenceSurface surface(closed);
  Report report;
  const auto make = [&](int threads) {
    return remesh(closed, surface, {.target = {QuadTarget::Kind::kQuads, 600}, .threads = threads}, report)
        .mesh;
  };
  const QuadMesh one = make(1), two = make(2);
  EXPECT_EQ(one.quads, two.quads);
  EXPECT_EQ(one.vertices, two.vertices);
}

TEST(Remesh, RefusesTargetsOutOfRange) {
  for (const char* text : {"", "many", "-1", "3", "2.5", "1e9", "2000,", "none,2000"})
    EXPECT_THROW(quad_targets_from_string(text), InvalidInput) << text;
  EXPECT_TRUE(quad_targets_from_string("none").empty());
  const auto targets = quad_targets_from_string("auto,2000");
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].kind, QuadTarget::Kind::kAuto);
  EXPECT_EQ(targets[1].value, 2000);
  const TriangleMesh closed = abut::test::box(1, 1, 1);
  Report report;
  EXPECT_THROW(remesh(closed, ReferenceSurface(closed), {.target = {QuadTarget::Kind::kEdge, 10}}, report),
               InvalidInput);
}

TEST(PointLevels, AreFinestFirstAndPassTheSchema) {
  const TriangleMesh closed = abut::test::sphere(0.05, 4);
  PointParameters parameters;
  parameters.levels = {{QuadTarget::Kind::kQuads, 300}, {QuadTarget::Kind::kQuads, 1000}};
  Report report;
  abut::asset::Asset asset;
  asset.points = make_point_levels(closed, parameters, report);
  ASSERT_EQ(asset.points.size(), 2u);
  EXPECT_GT(asset.points[0].areas.size(), asset.points[1].areas.size());
  EXPECT_NO_THROW(abut::asset::check(asset, "file"));
  EXPECT_EQ(report.measures.at("points1_quads"), static_cast<double>(asset.points[1].areas.size()));
  const abut::asset::PointsView points = abut::asset::view(asset).points;
  double area = 0;
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const Eigen::Vector3d p(points.x[i], points.y[i], points.z[i]),
        n(points.nx[i], points.ny[i], points.nz[i]);
    EXPECT_NEAR(n.norm(), 1, 1e-12);
    EXPECT_GT(n.dot(p.normalized()), 0.99);
    EXPECT_NEAR(points.thickness[i], 0.1, 0.005);
    area += points.areas[i];
  }
  EXPECT_NEAR(area, 4 * std::numbers::pi * 0.05 * 0.05, 3e-4);
}

}  // namespace
