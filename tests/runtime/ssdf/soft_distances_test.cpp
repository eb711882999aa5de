#include "runtime/ssdf/soft_distances.h"

#include <gtest/gtest.h>

#include "runtime/body/primitive_distance.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/primitives.h"
#include "tests/support/point_clouds.h"
#include "tests/support/primitives.h"
#include "tests/support/refusal.h"
#include "tests/support/tetrahedron_asset.h"

namespace {

using namespace abut;
using namespace abut::ssdf;
using abut::test::refusal;

bool same(const SoftDistance<double>& a, const SoftDistance<double>& b) {
  return a.value == b.value && a.gradient == b.gradient && a.hessian == b.hessian && a.status == b.status;
}

std::vector<Vec3<double>> some_points() {
  Random random(8);
  std::vector<Vec3<double>> points;
  for (int i = 0; i < 40; ++i)
    points.emplace_back(0.05 * random.normal(), 0.05 * random.normal(), 0.05 * random.normal());
  return points;
}

// Of an asset those of its points, with every kernel, also after the caller's own handle is gone.
TEST(SoftDistances, OfAnAssetAreThoseOfItsPoints) {
  const std::vector<Vec3<double>> p = some_points();
  for (const KernelKind kernel : {KernelKind::kGaussian, KernelKind::kQuad, KernelKind::kCompact,
                                  KernelKind::kWall, KernelKind::kTwoStage}) {
    const SoftDistanceConfig config{.eps1 = 0.8, .kernel = kernel, .tolerance = 1e-11};
    const asset::OrientedPoints box = box_points({0.05, 0.04, 0.03}, 0.008);
    const asset::PointsView points = asset::view(box);
    const KernelField field(points, kernel, 0.8 * points.spacing * points.spacing);
    const SoftDistances distances(body::Geometry(test::points_asset(box)), config);
    std::vector<SoftDistance<double>> batch(p.size()), single(p.size());
    distances(p, Order::kHessian, batch, 2);
    soft_distances(body::Geometry(test::points_asset(box)), p, single, config);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto expected = field.distance(p[i], Order::kHessian, 1e-11);
      if (expected.status != Status::kOk) continue;  // no number equals NaN
      EXPECT_TRUE(same(batch[i], single[i]));
      EXPECT_TRUE(same(batch[i], soft_distance(body::Geometry(test::points_asset(box)), p[i], config)));
      EXPECT_NEAR(batch[i].value, expected.value, 1e-12);
      EXPECT_LT((batch[i].gradient - expected.gradient).norm(), 1e-9);
    }
  }
}

TEST(SoftDistances, OfAPrimitiveAreExact) {
  std::vector<body::Primitive> all = test::solid_primitives();
  all.emplace_back(body::HalfSpace<double>{});
  const std::vector<Vec3<double>> p = some_points();
  for (const body::Primitive& primitive : all) {
    const SoftDistances distances{body::Geometry(primitive)};
    std::vector<SoftDistance<double>> found(p.size());
    distances(p, Order::kGradient, found);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto expected = body::primitive_distance<double>(primitive, p[i], 2);
      EXPECT_NEAR(found[i].value, expected.value, 1e-15);
      EXPECT_LT((found[i].gradient - expected.gradient).norm(), 1e-12);
      EXPECT_TRUE(found[i].hessian.isZero(0));
      EXPECT_EQ(distances(p[i]).hessian, expected.hessian);
    }
    EXPECT_EQ(distances({0, std::nan(""), 0}).status, Status::kInvalidInput);
  }
}

// Of an asset's grid where that is asked for; beyond its reach there is no overlap.
TEST(SoftDistances, OfAGridAreThoseOfItsField) {
  const asset::Asset asset = test::tetrahedron_asset();
  const body::Geometry geometry(asset);
  const SoftDistanceConfig config{.field = FieldKind::kGrid};
  const SoftDistances distances(geometry, config);
  const GridField field(geometry.grid());
  const std::vector<Vec3<double>> p = {{-0.3, -0.1, -0.2}, {0.1, -0.1, -0.2}, {1, 0, 0}};
  std::vector<SoftDistance<double>> batch(p.size());
  for (const Order order : {Order::kValue, Order::kGradient, Order::kHessian}) {
    distances(p, order, batch, 2);
    for (std::size_t i = 0; i < 2; ++i) {
      const GridDistance<double> expected = field.distance(p[i], static_cast<int>(order));
      ASSERT_EQ(expected.status, Status::kOk);
      EXPECT_TRUE(same(batch[i], {expected.value, expected.gradient, expected.hessian, Status::kOk}));
      EXPECT_TRUE(same(batch[i], soft_distance(geometry, p[i], config, order)));
    }
    EXPECT_EQ(batch[2].status, Status::kNoOverlap);
    EXPECT_TRUE(std::isnan(batch[2].value));
  }
  EXPECT_EQ(soft_distance_config({{"field", "grid"}}).field, FieldKind::kGrid);
  EXPECT_THROW(soft_distance_config({{"field", "mesh"}}), InvalidInput);
}

TEST(SoftDistances, WhatIsMissingIsSaidAsEverywhere) {
  const body::Geometry empty{asset::Asset{}}, ball{body::Sphere<double>{0.1}};
  EXPECT_EQ(
      refusal([&] {
        soft_distance(empty, {0, 0, 0});
      }),
      "soft distance: the geometry ('') has no oriented points; preprocess the object again with --quads");
  EXPECT_EQ(
      refusal([&] {
        soft_distance(empty, {0, 0, 0}, {.field = FieldKind::kGrid});
      }),
      "soft distance: the geometry ('') has no distance grid; preprocess the object again with --grid auto");
  EXPECT_THROW(soft_distance(ball, {0, 0, 0}, {.eps1 = -1}), InvalidInput);
  std::vector<SoftDistance<double>> room(2);
  EXPECT_THROW(soft_distances(ball, std::vector<Vec3<double>>(3), room), InvalidInput);
}

}  // namespace
