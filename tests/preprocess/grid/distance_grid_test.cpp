#include "preprocess/grid/distance_grid.h"

#include <gtest/gtest.h>

#include "preprocess/grid/grid_error.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "runtime/body/primitive_distance.h"
#include "runtime/core/random.h"
#include "runtime/core/thread_pool.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/ssdf/grid_field.h"
#include "tests/support/refusal.h"
#include "tests/support/shapes.h"
#include "tests/support/worst_of.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

struct Made {
  asset::Surface surface;
  asset::DistanceGrid grid;

  asset::SurfaceView view() const { return asset::view(surface); }
  ssdf::GridField field() const { return ssdf::GridField(asset::view(grid)); }
};

Made make(const TriangleMesh& mesh, double spacing, double reach) {
  Made made{build_surface(mesh), {}};
  made.grid = build_distance_grid(made.view(), spacing, reach);
  return made;
}

Vector3d in_box(Random& random, const Vector3d& half) {
  return {random.uniform(-half[0], half[0]), random.uniform(-half[1], half[1]),
          random.uniform(-half[2], half[2])};
}

// The distance of a box is known: near its faces, away from where two are as near, the field is exact.
TEST(DistanceGrid, OfABoxIsItsDistance) {
  const double h = 0.004, reach = 0.03;
  const Made made = make(test::box(0.2, 0.12, 0.08), h, reach);
  const ssdf::GridField field = made.field();
  const body::Primitive box = body::Box<double>{{0.1, 0.06, 0.04}};
  Random random(1, 1);
  double worst = 0;
  int flat = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vector3d p = in_box(random, {0.14, 0.1, 0.08});
    const auto exact = body::primitive_distance<double>(box, p, 2);
    const auto found = field.distance(p, 3);
    if (exact.value <= reach) {
      ASSERT_EQ(found.status, Status::kOk) << p.transpose();
    }
    if (found.status != Status::kOk) continue;
    worst = test::worst_of(worst, std::abs(found.value - exact.value));
    if (std::abs(exact.value) > h) {
      EXPECT_EQ(found.value < 0, exact.value < 0) << p.transpose();
    }
    // Seven nodes away from every kink the coefficients feel it by 0.27^7 h. The field that they give is the
    // height above the face, to the digits of float.
    const double beside = std::min(0.1 - std::abs(p[0]), 0.06 - std::abs(p[1]));
    if (std::abs(exact.value) > 2 * h || std::abs(std::abs(p[2]) - 0.04) > 2 * h || beside < 11 * h) continue;
    ++flat;
    EXPECT_NEAR(found.value, exact.value, 1e-4 * h);
    EXPECT_LT((found.gradient - exact.gradient).norm(), 3e-4);
    EXPECT_LT(found.hessian.norm(), 1e-3 / h);
  }
  EXPECT_GT(flat, 150);
  EXPECT_LT(worst, 0.6 * h);
}

// A round surface of many triangles, half a spacing each: gradient and curvature come out.
TEST(DistanceGrid, OfABallHasItsDerivatives) {
  const double R = 0.05, h = 0.0025;
  const Made made = make(test::sphere(R, 6), h, 4 * h);
  const ssdf::GridField field = made.field();
  const body::Primitive ball = body::Sphere<double>{R};
  Random random(2, 1);
  double gradient = 0, hessian = 0;
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    const Vector3d p = random.uniform(0.8, 1.15) * R * in_box(random, {1, 1, 1}).normalized();
    const auto exact = body::primitive_distance<double>(ball, p, 2);
    const auto found = field.distance(p, 2);
    ASSERT_EQ(found.status, Status::kOk);
    EXPECT_NEAR(found.value, exact.value, 0.01 * h);
    gradient += (found.gradient - exact.gradient).norm() / kCount;
    hessian += (found.hessian - exact.hessian).norm() / exact.hessian.norm() / kCount;
  }
  EXPECT_LT(gradient, 0.003);
  EXPECT_LT(hessian, 0.1);
}

// At the nodes the splines have the exact values, wherever a run of bricks goes on for eight nodes.
TEST(DistanceGrid, InterpolatesTheSamples) {
  const double h = 0.004;
  const Made made = make(test::box(0.15, 0.1, 0.1), h, 8 * h);
  const ssdf::GridField field = made.field();
  int inside = 0;
  for (int i = 0; i < 4 * made.grid.places[0]; ++i)
    for (int j = 0; j < 4 * made.grid.places[1]; ++j)
      for (int k = 0; k < 4 * made.grid.places[2]; ++k) {
        const Vector3d p = Vector3d::Map(made.grid.lattice.data()) + h * Vector3d(i, j, k);
        const double exact = distance::signed_distance<double>(made.view(), p).distance;
        if (exact > 0) continue;
        ++inside;
        EXPECT_NEAR(field.distance(p, 0).value, exact, 1e-4 * h);
      }
  EXPECT_GT(inside, 10000);
}

// A hollow: the cavity is outside, and only its rim is in the band.
TEST(DistanceGrid, OfAHollowBoxLeavesTheMiddleOfTheCavityOut) {
  TriangleMesh mesh = test::box(0.3, 0.3, 0.3);
  const TriangleMesh cavity = test::box(0.24, 0.24, 0.24);
  for (const Vector3d& v : cavity.vertices) mesh.vertices.push_back(v);
  for (const Triangle& t : cavity.triangles) mesh.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
  const double h = 0.005, reach = 4 * h;
  const Made made = make(mesh, h, reach);
  const ssdf::GridField field = made.field();
  EXPECT_EQ(field.distance({0, 0, 0}, 0).status, Status::kNoOverlap);
  EXPECT_EQ(field.distance({0.2, 0.2, 0.2}, 0).status, Status::kNoOverlap);
  EXPECT_NEAR(field.distance({0.135, 0, 0}, 0).value, -0.015, 0.2 * h);
  EXPECT_NEAR(field.distance({0.11, 0, 0}, 0).value, 0.01, 1e-3 * h);
  EXPECT_LT(made.grid.coefficients.size(), 0.95 * asset::kBrickSize * made.grid.index.size());
}

TEST(DistanceGrid, HasTheSameBitsOnAnyNumberOfThreads) {
  const int before = default_threads();
  std::vector<asset::DistanceGrid> made;
  for (const int threads : {1, 2, 3}) {
    set_default_threads(threads);
    made.push_back(make(test::torus(0.05, 0.015, 40, 20), 0.003, 0.01).grid);
  }
  set_default_threads(before);
  for (std::size_t i = 1; i < made.size(); ++i) {
    EXPECT_EQ(made[i].lattice, made[0].lattice);
    EXPECT_EQ(made[i].index, made[0].index);
    EXPECT_EQ(made[i].coefficients, made[0].coefficients);
  }
}

TEST(DistanceGrid, RefusesMoreNodesThanThereIsRoomFor) {
  const asset::Surface box = build_surface(test::box(0.1, 0.1, 0.1));
  for (const double spacing : {3e-4, 2e-5, 1e-6, 1e-12, 1e-300})
    EXPECT_NE(test::refusal([&] {
                build_distance_grid(asset::view(box), spacing, 0.01);
              }).find("give --grid a greater spacing"),
              std::string::npos)
        << spacing;
}

TEST(DistanceGrid, ParametersAreReadFromText) {
  EXPECT_EQ(grid_parameters_from_string("none").kind, GridParameters::Kind::kNone);
  EXPECT_EQ(grid_parameters_from_string("auto").kind, GridParameters::Kind::kAuto);
  EXPECT_EQ(grid_parameters_from_string("0.002").spacing, 0.002);
  EXPECT_EQ(grid_parameters_from_string("2e-3").text(), "0.002");
  for (const char* text : {"", "-1", "0", "nan", "inf", "0.01m", "fine", "1e-400", "0,01"})
    EXPECT_THROW(grid_parameters_from_string(text), InvalidInput) << text;
}

class YcbGrid : public testing::TestWithParam<const char*> {};

// Scanned objects, those with the thinnest walls among them: error and signs within a point spacing, and no
// zero set farther from the surface than that anywhere in the grid.
TEST_P(YcbGrid, IsNearTheExactDistance) {
  const std::optional<TriangleMesh> mesh = test::welded_ycb(GetParam());
  if (!mesh) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  Report report;
  const TriangleMesh closed = close_surface(*mesh, {}, report).surface;
  const double spacing = std::sqrt(mass_properties(closed).area / kGridQuads);
  const Made made = make(closed, spacing / kGridFineness, kGridReach * spacing);
  const asset::DistanceGridView view = asset::view(made.grid);
  const GridError near = measure_grid(view, made.view(), {.samples = 10'000, .radius = spacing});
  EXPECT_EQ(near.unanswered, 0);
  EXPECT_LT(near.mean, 0.01 * spacing);
  EXPECT_LT(near.worst, 0.25 * spacing);
  EXPECT_LE(100 * near.judged_wrong, 0.2 * near.judged);
  const GridError all =
      measure_grid(view, made.view(), {.samples = 10'000, .radius = 1.5 * kGridReach * spacing});
  EXPECT_EQ(all.unanswered, 0);
  EXPECT_LT(all.worst_wrong, 0.25 * spacing);
}

INSTANTIATE_TEST_SUITE_P(Objects, YcbGrid, testing::Values("025_mug", "051_large_clamp", "035_power_drill"));

}  // namespace
}  // namespace abut::preprocess
