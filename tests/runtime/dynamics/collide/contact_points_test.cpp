// Contact points of pairs of shapes: closed forms, and the library's own exact distance as oracle.
#include <gtest/gtest.h>

#include <set>

#include "runtime/dynamics/collide/convex_contact.h"
#include "runtime/dynamics/collide/support_feature.h"
#include "runtime/witness/pair_query.h"
#include "runtime/witness/shapes.h"
#include "tests/runtime/dynamics/collide/placed_primitives.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using test::least_gap, test::placed, test::random_pose;

PlacedShape box(const Vec3<double>& half, const Pose<double>& X_WS) {
  return placed(body::Box<double>{half}, X_WS);
}

TEST(ContactPoints, BoxOnBoxIsTheCommonRectangle) {
  std::vector<SurfacePoint> points;
  box_box_points(box({0.5, 0.5, 0.5}, {}),
                 box({0.5, 0.5, 0.5}, {Mat3<double>::Identity(), {0.25, 0.5, 0.999}}), 0.01, points);
  ASSERT_EQ(points.size(), 4U);
  Vec3<double> low = points[0].p_W, high = low;
  for (const SurfacePoint& point : points) {
    low = low.cwiseMin(point.p_W);
    high = high.cwiseMax(point.p_W);
    EXPECT_NEAR(point.gap, -0.001, 1e-15);
    EXPECT_TRUE(point.n_W.isApprox(Vec3<double>::UnitZ()));
  }
  EXPECT_TRUE(low.isApprox(Vec3<double>(-0.25, 0, 0.4995), 1e-14)) << low.transpose();
  EXPECT_TRUE(high.isApprox(Vec3<double>(0.5, 0.5, 0.4995), 1e-14)) << high.transpose();
}

TEST(ContactPoints, CrossedEdgesMeetInOnePoint) {
  const Mat3<double> roll_x = exp_rotation<double>({M_PI / 4, 0, 0}),
                     roll_y = exp_rotation<double>({0, M_PI / 4, 0});
  const double diagonal = std::sqrt(0.5);
  std::vector<SurfacePoint> points;
  box_box_points(box({1, 0.5, 0.5}, {roll_x, {0, 0, 0}}),
                 box({0.5, 1, 0.5}, {roll_y, {0.1, 0.2, 2 * diagonal - 0.003}}), 0.01, points);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_NEAR(points[0].gap, -0.003, 1e-14);
  EXPECT_TRUE(points[0].p_W.isApprox(Vec3<double>(0.1, 0, diagonal - 0.0015), 1e-12))
      << points[0].p_W.transpose();
}

// The deepest point's gap is the exact depth, or as much deeper as a face is preferred to an edge by.
TEST(ContactPoints, RandomBoxesAgreeWithTheirExactDistance) {
  Random random(7);
  int overlapping = 0, empty = 0;
  for (int k = 0; k < test::runs(3000); ++k) {
    const Vec3<double> a(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1));
    const Vec3<double> b(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1));
    const PlacedShape A = box(a, random_pose(random, 0.6)), B = box(b, random_pose(random, 0.6));
    const auto exact =
        witness::separation(witness::Box<double>{a}, witness::Box<double>{b}, A.X_WS.inverse() * B.X_WS);
    if (exact.distance > 0) continue;
    std::vector<SurfacePoint> points;
    box_box_points(A, B, 0.05, points);
    const double tolerance = 0.01 * std::min(a.minCoeff(), b.minCoeff()) + 1e-9;
    ++overlapping;
    empty += points.empty();
    if (points.empty()) continue;
    EXPECT_NEAR(least_gap(points), exact.distance, tolerance) << k;
    for (const SurfacePoint& point : points) EXPECT_NEAR(point.n_W.norm(), 1, 1e-12);
  }
  EXPECT_GT(overlapping, 500);
  EXPECT_EQ(empty, 0);
}

TEST(ContactPoints, ExchangedBoxesGiveOppositeNormals) {
  Random random(8);
  for (int k = 0; k < test::runs(300); ++k) {
    const PlacedShape A = box({0.5, 0.4, 0.3}, random_pose(random, 0.4));
    const PlacedShape B = box({0.3, 0.6, 0.2}, random_pose(random, 0.4));
    std::vector<SurfacePoint> ab, ba;
    box_box_points(A, B, 0.02, ab);
    box_box_points(B, A, 0.02, ba);
    ASSERT_EQ(ab.empty(), ba.empty());
    if (ab.empty()) continue;
    EXPECT_NEAR(least_gap(ab), least_gap(ba), 4e-3);
  }
}

TEST(ContactPoints, StandingCylinderTouchesAllAroundItsRim) {
  const PlacedShape plane = placed(body::HalfSpace<double>{});
  const PlacedShape coin =
      placed(body::Cylinder<double>{0.005, 0.05}, {Mat3<double>::Identity(), {0, 0, 0.004}});
  std::vector<SurfacePoint> points;
  plane_points(plane, coin, 0.01, ContactSampling::kVertex, points);
  ASSERT_GE(points.size(), 4U);
  Vec3<double> sum = Vec3<double>::Zero();
  for (const SurfacePoint& point : points) {
    EXPECT_NEAR(point.p_W.head<2>().norm(), 0.05, 1e-15);
    EXPECT_NEAR(point.gap, -0.001, 1e-15);
    EXPECT_NEAR(point.p_W.z(), -0.0005, 1e-15);
    sum += point.p_W;
  }
  EXPECT_LT(sum.head<2>().norm(), 1e-15);
}

// The moment of an even pressure's friction about the axis is 2/3 of the radius, and the areas add up.
TEST(ContactPoints, DiscPointsIntegrateTheRadius) {
  const PlacedShape plane = placed(body::HalfSpace<double>{});
  const PlacedShape coin =
      placed(body::Cylinder<double>{0.005, 0.05}, {Mat3<double>::Identity(), {0, 0, 0.005}});
  std::vector<SurfacePoint> points;
  plane_points(plane, coin, 0.01, ContactSampling::kPatch, points);
  double area = 0, moment = 0;
  for (const SurfacePoint& point : points) {
    area += point.area;
    moment += point.area * point.p_W.head<2>().norm();
  }
  EXPECT_NEAR(area, M_PI * 0.05 * 0.05, 1e-15);
  EXPECT_NEAR(moment / area, 2.0 / 3 * 0.05, 1e-15);
}

// Discs alone have other points on a plane for an even pressure (docs/dynamics.md): a box keeps its corners.
TEST(ContactPoints, PatchesAreOfDiscs) {
  const PlacedShape plane = placed(body::HalfSpace<double>{});
  const Pose<double> X_WS{Mat3<double>::Identity(), {0, 0, 0.05}};
  const auto count = [&](const PlacedShape& shape, ContactSampling sampling) {
    std::vector<SurfacePoint> points;
    plane_points(plane, shape, 0.01, sampling, points);
    return points.size();
  };
  const PlacedShape box = placed(body::Box<double>{Vec3<double>::Constant(0.05)}, X_WS);
  EXPECT_EQ(count(box, ContactSampling::kVertex), 4U);
  EXPECT_EQ(count(box, ContactSampling::kPatch), 4U);
  for (const PlacedShape& disc :
       {placed(body::Cylinder<double>{0.05, 0.05}, X_WS), placed(body::Cone<double>{0.05, 0.05}, X_WS)}) {
    EXPECT_EQ(count(disc, ContactSampling::kVertex), 8U);
    EXPECT_EQ(count(disc, ContactSampling::kPatch), 36U);
  }
}

TEST(ContactPoints, TiltedCylindersLowestPointIsExact) {
  Random random(9);
  const PlacedShape plane = placed(body::HalfSpace<double>{});
  for (int k = 0; k < test::runs(200); ++k) {
    const Pose<double> X = random_pose(random, 0.05);
    const PlacedShape cylinder = placed(body::Cylinder<double>{0.2, 0.1}, X);
    const double axis = std::abs(X.R(2, 2));
    const double lowest = X.p.z() - 0.2 * axis - 0.1 * std::sqrt(1 - axis * axis);
    std::vector<SurfacePoint> points;
    plane_points(plane, cylinder, 1, ContactSampling::kVertex, points);
    EXPECT_NEAR(least_gap(points), lowest, 1e-12);
  }
}

TEST(ContactPoints, CylinderStandingAndLyingOnABox) {
  witness::Workspace<double> workspace;
  const PlacedShape table = box({1, 1, 0.1}, {});
  std::vector<SurfacePoint> points;
  witness_points(table, placed(body::Cylinder<double>{0.3, 0.2}, {Mat3<double>::Identity(), {0, 0, 0.399}}),
                 0.01, workspace, points);
  EXPECT_EQ(points.size(), 8U);
  for (const SurfacePoint& point : points) EXPECT_NEAR(point.gap, -0.001, 1e-9);
  points.clear();
  witness_points(
      table,
      placed(body::Cylinder<double>{0.3, 0.2}, {exp_rotation<double>({M_PI / 2, 0, 0}), {0, 0.1, 0.299}}),
      0.01, workspace, points);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_NEAR((points[0].p_W - points[1].p_W).norm(), 0.6, 1e-9);
  for (const SurfacePoint& point : points) EXPECT_NEAR(point.gap, -0.001, 1e-9);
}

// Where a rim touches an edge, the rim's corner is on the edge as the normal sees it.
TEST(ContactPoints, RoundingMakesNoPoints) {
  witness::Workspace<double> workspace;
  Random random(41);
  const auto features = [&](const PlacedShape& A, const PlacedShape& B) {
    std::vector<SurfacePoint> points;
    witness_points(A, B, 0.02, workspace, points);
    std::set<std::uint16_t> result;
    for (const SurfacePoint& point : points) result.insert(point.feature);
    return result;
  };
  const PlacedShape A = placed(body::Cylinder<double>{0.05, 0.04});
  const auto on_cap = [](const Pose<double>& X_WB) { return box({0.04, 0.05, 0.06}, X_WB); };
  for (int k = 0; k < test::runs(1000); ++k) {
    SCOPED_TRACE(k);
    const Vec3<double> tilt(random.uniform(-0.01, 0.01), random.uniform(-0.01, 0.01), 0);
    const Vec3<double> p(random.uniform(-0.08, 0.08), random.uniform(-0.08, 0.08), 0.1099);
    const Pose<double> X_WB{exp_rotation<double>(tilt) * exp_rotation<double>({0, 0, random.uniform(-3, 3)}),
                            p};
    const std::set<std::uint16_t> here = features(A, on_cap(X_WB));
    for (int axis = 0; axis < 3; ++axis) {
      Pose<double> X = X_WB;
      X.p[axis] += 1e-15;
      ASSERT_EQ(features(A, on_cap(X)), here);
    }
  }
}

// Slopes of points and impulses of the last step are found by name.
TEST(ContactPoints, NoTwoHaveOneName) {
  Random random(31);
  int most = 0;
  for (int k = 0; k < test::runs(4000); ++k) {
    const auto flat = [&](bool is_box) {
      const Pose<double> X_WS{
          exp_rotation<double>({0.02 * random.normal(), 0.02 * random.normal(), random.normal()}),
          {0.3 * random.normal(), 0.3 * random.normal(), 0}};
      const double r = random.uniform(0.3, 1);
      return is_box ? box({r, random.uniform(0.3, 1), 0.1}, X_WS)
                    : placed(body::Cylinder<double>{r, 0.1}, X_WS);
    };
    const PlacedShape A = flat(k % 2 == 0);
    PlacedShape B = flat(k % 4 < 2);
    B.X_WS.p.z() = 0.2;
    std::vector<SurfacePoint> points;
    const SupportFeature of_A = facing_feature(A, Vec3<double>::UnitZ()),
                         of_B = facing_feature(B, -Vec3<double>::UnitZ());
    if (k % 3 == 0)
      clip_features(of_B, of_A, Vec3<double>::UnitZ(), true, 1, points);
    else
      clip_features(of_A, of_B, Vec3<double>::UnitZ(), false, 1, points);
    std::set<std::uint64_t> names;
    for (const SurfacePoint& point : points) names.insert(point.feature);
    EXPECT_EQ(names.size(), points.size()) << k;
    most = std::max(most, static_cast<int>(points.size()));
  }
  EXPECT_GT(most, 8);
}

}  // namespace
