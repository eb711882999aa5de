#include "preprocess/remesh/remesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/weld.h"
#include "preprocess/remesh/no_quads.h"
#include "preprocess/remesh/oriented_points.h"
#include "preprocess/remesh/point_levels.h"
#include "preprocess/remesh/quad_quality.h"
#include "preprocess/remesh/relax.h"
#include "preprocess/remesh/to_quads.h"
#include "preprocess/remesh/untangle.h"
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

// A block of 2 m by 1 m by 1 m with a groove along y in its upper side, 0.5 m deep and 0.2 m wide: the
// groove's bottom is (0, y, 0.5).
TriangleMesh grooved_block() {
  const double section[][2] = {{-1, 0}, {0, 0}, {1, 0}, {1, 1}, {0.1, 1}, {0, 0.5}, {-0.1, 1}, {-1, 1}};
  TriangleMesh block;
  for (const double y : {0.0, 1.0})
    for (const auto& [x, z] : section) block.vertices.emplace_back(x, y, z);
  for (int k = 0; k < 8; ++k) {
    const int next = (k + 1) % 8;
    block.triangles.push_back({next, k, next + 8});
    block.triangles.push_back({next + 8, k, k + 8});
  }
  for (const auto& [a, b, c] : {std::array{1, 2, 3}, {1, 3, 4}, {1, 4, 5}, {1, 5, 6}, {1, 6, 7}, {1, 7, 0}}) {
    block.triangles.push_back({a, b, c});
    block.triangles.push_back({a + 8, c + 8, b + 8});
  }
  return block;
}

TEST(ReferenceSurface, TheBottomOfAGrooveIsAsThickAsItsSide) {
  const TriangleMesh block = grooved_block();
  ASSERT_GT(volume(block), 0);
  const ReferenceSurface surface(block);
  FootPoint foot = surface.closest({0.1, 0.4, 0.75});  // on the right side
  foot.position = {0, 0.4, 0.5};
  EXPECT_NEAR(surface.thickness(foot), std::hypot(1, 0.2), 1e-12);
}

TEST(Remesh, ASphereIsEven) {
  const TriangleMesh closed = abut::test::sphere(0.05, 4);
  const ReferenceSurface surface(closed);
  const QuadMesh mesh = remesh(closed, surface, {.target = {QuadTarget::Kind::kQuads, 1000}}).mesh;
  EXPECT_EQ(find_topological_fault(mesh), "");
  const QuadQuality q = measure(mesh, closed, surface);
  EXPECT_NEAR(static_cast<double>(q.quads), 1000, 150);
  EXPECT_EQ(q.flips, 0u);
  EXPECT_EQ(q.self_intersections, 0u);
  EXPECT_EQ(q.bad_edges, 0u);
  EXPECT_LT(q.hausdorff_in_out, 1);
}

// Needles end early, by counted work, and say why.
TEST(Remesh, NeedlesAreGivenUp) {
  TriangleMesh needle = abut::test::sphere(1, 4);
  for (Eigen::Vector3d& v : needle.vertices) v = v.cwiseProduct(Eigen::Vector3d(0.1, 1e-6, 1e-6));
  const ReferenceSurface surface(needle);
  EXPECT_THROW(remesh(needle, surface, {.target = {QuadTarget::Kind::kQuads, 2000}}), TooMuchWork);
}

// A rod as a drawing program writes it, two triangles to a side; with grooves of a depth, as of a gear.
TriangleMesh rod(int sides, double radius, double length, double depth = 0) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 0, length}};
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    for (const double z : {0.0, length})
      mesh.vertices.emplace_back((radius - k % 2 * depth) * std::cos(angle),
                                 (radius - k % 2 * depth) * std::sin(angle), z);
    const int low = 2 + 2 * k, next = 2 + 2 * ((k + 1) % sides);
    for (const Triangle& t : {Triangle{low, next, next + 1}, Triangle{low, next + 1, low + 1},
                              Triangle{0, next, low}, Triangle{1, low + 1, next + 1}})
      mesh.triangles.push_back(t);
  }
  return mesh;
}

TEST(Remesh, RodsOfLongTrianglesHaveQuads) {
  for (const auto& [radius, length] : {std::pair{0.006, 0.5}, {0.002, 0.6}}) {
    const TriangleMesh closed = rod(64, radius, length);
    const ReferenceSurface surface(closed);
    const QuadMesh mesh = remesh(closed, surface, {.target = {QuadTarget::Kind::kQuads, 2000}}).mesh;
    EXPECT_EQ(find_topological_fault(mesh), "");
    const QuadQuality q = measure(mesh, closed, surface);
    EXPECT_NEAR(static_cast<double>(q.quads), 2000, 400);
    EXPECT_EQ(q.flips, 0u);
    EXPECT_EQ(q.self_intersections, 0u);
  }
}

TEST(Remesh, TheSameBitsAgain) {
  const TriangleMesh closed = abut::test::torus(0.05, 0.02, 40, 24);
  const ReferenceSurface surface(closed);
  const auto make = [&](int threads) {
    return remesh(closed, surface,
                  {.target = {QuadTarget::Kind::kQuads, 600}, .fields = false, .threads = threads})
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
  const auto usual = quad_targets_from_string(kDefaultText);
  ASSERT_EQ(usual.size(), 1u);
  EXPECT_EQ(usual.front().text(), PointParameters().levels.front().text());
  EXPECT_EQ(targets[0].kind, QuadTarget::Kind::kAuto);
  EXPECT_EQ(targets[1].value, 2000);
  const TriangleMesh closed = abut::test::box(1, 1, 1);
  EXPECT_THROW(remesh(closed, ReferenceSurface(closed), {.target = {QuadTarget::Kind::kEdge, 10}}),
               InvalidInput);
}

// A number of quads is taken as it is, not by way of an edge length that rounds.
TEST(Remesh, TakesTheLeastNumberOfQuadsAtAnySize) {
  for (const double size : {1.0, 1.1, 1.3, 1.7, 2.3, 2.9}) {
    const TriangleMesh closed = abut::test::box(size, size, size);
    const ReferenceSurface surface(closed);
    EXPECT_NO_THROW(remesh(closed, surface, {.target = {QuadTarget::Kind::kQuads, double{kLeastQuads}}}))
        << size;
  }
}

// Quads that leave out most of a surface are none: of teeth too fine for them.
TEST(PointLevels, PointsOfPartsAreNotTakenForTheWhole) {
  Report report;
  PointParameters parameters;
  parameters.levels = quad_targets_from_string("300");
  try {
    make_point_levels(rod(120, 0.05, 0.3, 0.005), parameters, report);
    EXPECT_LE(report.measures.at("points0_zero_lost_percent"), 50);
    EXPECT_GE(report.measures.at("points0_quads"), 150);
  } catch (const NoQuads& error) {
    EXPECT_NE(std::string(error.what()).find("quads"), std::string::npos) << error.what();
  }
}

TEST(PointLevels, AreFinestFirstAndPassTheSchema) {
  const TriangleMesh closed = abut::test::sphere(0.05, 4);
  PointParameters parameters;
  parameters.levels = {{QuadTarget::Kind::kQuads, 300}, {QuadTarget::Kind::kQuads, 1000}};
  parameters.remesh.fields = false;
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

// A wall of 1 mm, quads of 5 mm: every vertex stays on the side that its quads face, and nothing crosses.
TEST(Remesh, AThinShellKeepsItsTwoSides) {
  const TriangleMesh closed = abut::test::box(0.06, 0.06, 0.001);
  const ReferenceSurface surface(closed);
  const Remeshed made =
      remesh(closed, surface, {.target = {QuadTarget::Kind::kEdge, 0.005}, .fields = false});
  EXPECT_EQ(made.crossings + made.flips, 0u);
  const QuadQuality q = measure(made.mesh, closed, surface);
  EXPECT_EQ(q.flips, 0u);
  EXPECT_EQ(q.self_intersections, 0u);
  EXPECT_LT(q.hausdorff_out_in, 1.3);  // % of 85 mm: a millimetre at the rim
  EXPECT_NEAR(auto_edge(surface, 1), kWallSpacing * 0.001, 1e-9);
}

TEST(Remesh, PointsThatDoNotResolveAWallAreFlagged) {
  const TriangleMesh closed = abut::test::box(0.06, 0.06, 0.001);
  PointParameters parameters;
  parameters.levels = {{QuadTarget::Kind::kEdge, 0.005}};
  parameters.remesh.fields = false;
  Report report;
  (void)make_point_levels(closed, parameters, report);
  EXPECT_GT(report.measures.at("points0_unresolved_percent"), 90);
  ASSERT_FALSE(report.warnings.empty());
  const std::string& warning = report.warnings.front();
  EXPECT_NE(warning.find(
                " mm apart, too far for the walls of 100 % of the surface (1 % of it is under 1 mm thick): "),
            std::string::npos)
      << warning;
  EXPECT_NE(warning.find("--quads auto"), std::string::npos) << warning;
}

TEST(PointLevels, TheDefaultIsAsFineAsThinWallsAskFor) {
  const TriangleMesh closed = abut::test::box(0.06, 0.06, 0.001);
  const auto make = [&](const char* quads, Report& report) {
    PointParameters parameters;
    if (*quads != 0) parameters.levels = quad_targets_from_string(quads);
    return make_point_levels(closed, parameters, report).front();
  };
  Report by_default, as_auto, as_asked;
  const abut::asset::OrientedPoints made = make("", by_default), fine = make("auto", as_auto);
  EXPECT_EQ(made.positions, fine.positions);
  EXPECT_TRUE(by_default.warnings.empty());
  EXPECT_LT(by_default.measures.at("points0_sign_wrong_percent"), 0.3);
  const abut::asset::OrientedPoints asked = make("2000", as_asked);
  EXPECT_NEAR(static_cast<double>(asked.areas.size()), 2000, 200);
  EXPECT_GT(as_asked.measures.at("points0_sign_wrong_percent"), 0.3);
  EXPECT_EQ(by_default.measures.at("points0_default_sign_wrong_percent"),
            as_asked.measures.at("points0_sign_wrong_percent"));
  EXPECT_FALSE(as_asked.warnings.empty());
}

TEST(PointLevels, TheDefaultKeepsQuadsThatResolveTheWalls) {
  const TriangleMesh closed = abut::test::box(0.06, 0.06, 0.02);
  Report by_default, as_asked;
  PointParameters parameters;
  const auto made = make_point_levels(closed, parameters, by_default);
  parameters.levels = quad_targets_from_string("2000");
  const auto asked = make_point_levels(closed, parameters, as_asked);
  EXPECT_EQ(made.front().positions, asked.front().positions);
  EXPECT_EQ(made.front().quads, asked.front().quads);
  EXPECT_FALSE(by_default.measures.contains("points0_default_sign_wrong_percent"));
}

TEST(Remesh, PointsAsFineAsTheWallsAskForAreNotFlagged) {
  const TriangleMesh closed = abut::test::box(0.06, 0.06, 0.001);
  PointParameters parameters;
  parameters.levels = {{QuadTarget::Kind::kAuto}};
  Report report;
  const std::vector<abut::asset::OrientedPoints> points = make_point_levels(closed, parameters, report);
  EXPECT_NEAR(points.front().spacing[0], kWallSpacing * 0.001, 0.05 * 0.001);
  for (const std::string& warning : report.warnings) ADD_FAILURE() << warning;
}

// Relaxation brings vertices onto the edges of a box without being told where these are, from up to 0.4 of a
// quad away, at the default weights.
TEST(Relax, FindsTheEdgesOfABox) {
  const TriangleMesh closed = abut::test::box(0.1, 0.1, 0.1);
  const ReferenceSurface surface(closed);
  // A grid of quads on the box, turned about it a little: none of its edges lies on one of the box.
  QuadMesh mesh;
  constexpr int kSide = 8;
  PolygonMesh cube;
  for (int i = 0; i < 8; ++i) cube.vertices.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  for (const Quad& q :
       {Quad{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    cube.corners.insert(cube.corners.end(), q.begin(), q.end());
    cube.offsets.push_back(static_cast<std::int32_t>(cube.corners.size()));
  }
  mesh = subdivide(cube);
  for (int n = 4; n <= kSide; n *= 2) mesh = subdivide(polygons_of(mesh));
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(0.07, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  for (Eigen::Vector3d& v : mesh.vertices) v = surface.closest(turn * (0.05 * v)).position;
  EXPECT_GT(measure(mesh, closed, surface).straddling_percent, 3);
  relax(mesh, surface, {.rounds = 80, .edge = 0.1 / kSide});
  const QuadQuality q = measure(mesh, closed, surface);
  EXPECT_EQ(q.straddling_percent, 0);
  EXPECT_LT(q.angle_deviation, 3);
  EXPECT_LT(q.hausdorff_in_out, 0.1);
}

// Two walls of a box pushed through each other by their vertices come apart again.
TEST(Untangle, PushesCrossedSheetsApart) {
  const TriangleMesh closed = abut::test::box(0.06, 0.06, 0.001);
  const ReferenceSurface surface(closed);
  QuadMesh mesh = remesh(closed, surface, {.target = {QuadTarget::Kind::kEdge, 0.005}, .fields = false}).mesh;
  for (Eigen::Vector3d& v : mesh.vertices)
    if (v.z() > 0 && v.head<2>().norm() < 0.012) v.z() -= 0.0012;
  TangleFinder finder(surface);
  finder.find(mesh);
  EXPECT_GT(finder.tangles().crossings, 0u);
  EXPECT_EQ(finder.tangles().crossings, count_self_intersections(triangulate(mesh)));
  EXPECT_TRUE(untangle(mesh, finder, 30).none());
  EXPECT_EQ(count_self_intersections(triangulate(mesh)), 0u);
}

// A quad bent so that its diagonals cut it into different triangles meets a plate by one choice alone; a quad
// of one wall drawn past the middle faces against the other wall, the nearest.
TEST(Untangle, TheStrictRuleCountsBothDiagonalsAndTheNearestWall) {
  const TriangleMesh closed = abut::test::box(0.06, 0.06, 0.001);
  const ReferenceSurface surface(closed);
  QuadMesh mesh;
  mesh.vertices = {{0, 0, 5e-4},      {0.01, 0, 0.002},      {0.01, 0.01, 5e-4}, {0, 0.01, 0.002},
                   {0, 0.01, 0.0008}, {0.005, 0.005, 0.001}, {0, 0.0, 0.0012},   {0.001, 0.001, 0.0011}};
  mesh.quads = {{0, 1, 2, 3}};
  TangleFinder strict(surface, TangleRule::kStrict), own(surface);
  strict.find(mesh);
  EXPECT_TRUE(strict.tangles().none());
  // A plate under the higher diagonal, over the lower one.
  mesh.vertices[4] = {0.004, 0.004, 0.0012};
  mesh.vertices[5] = {0.006, 0.004, 0.0012};
  mesh.vertices[6] = {0.006, 0.006, 0.0012};
  mesh.vertices[7] = {0.004, 0.006, 0.0012};
  mesh.quads.push_back({4, 5, 6, 7});
  strict.find(mesh);
  own.find(mesh);
  EXPECT_EQ(strict.tangles().crossings, 0u);
  for (int k = 4; k < 8; ++k) mesh.vertices[k].x() -= 0.003;  // through one of the four triangles
  strict.find(mesh);
  EXPECT_EQ(strict.tangles().crossings, 1u);
  EXPECT_EQ(strict.crossing_quads(), (std::vector<std::array<std::int32_t, 2>>{{0, 1}}));
  for (int k = 4; k < 8; ++k) mesh.vertices[k].z() = -1e-5;  // nearer the lower wall, by a hundredth
  strict.find(mesh);
  own.find(mesh);
  EXPECT_EQ(strict.tangles().flips, 1u);
  EXPECT_EQ(own.tangles().flips, 0u);
}

}  // namespace
