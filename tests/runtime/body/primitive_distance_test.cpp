#include "runtime/body/primitive_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/body/samples.h"
#include "runtime/core/random.h"
#include "runtime/witness/pair_query.h"
#include "tests/support/bodies.h"
#include "tests/support/primitives.h"

namespace {

using namespace abut;
using body::Primitive;
using body::primitive_distance;
using S = long double;

std::vector<Primitive> all_primitives() {
  std::vector<Primitive> all = test::solid_primitives();
  all.insert(all.end(), {body::Capsule<double>{0, 0.02}, body::Cylinder<double>{0.01, 0.04},
                         body::Ellipsoid<double>{{0.001, 0.05, 0.05}}, body::HalfSpace<double>{}});
  return all;
}

Vec3<double> random_point(Random& random, double scale) {
  return {scale * random.normal(), scale * random.normal(), scale * random.normal()};
}

// Outside, the distance of a point from a shape is that of GJK; inside, no point of the surface is nearer
// than the nearest, which is one of them.
TEST(PrimitiveDistance, IsThatOfTheNearestPoint) {
  for (const Primitive& primitive : all_primitives()) {
    SCOPED_TRACE(row_of(primitive).name);
    Random random(3);
    const body::Body shape = test::body_of(primitive), dot = test::body_of(body::Sphere<double>{1e-9});
    int inside = 0;
    for (int i = 0; i < 400; ++i) {
      const Vec3<double> p = random_point(random, i % 2 ? 0.05 : 0.01);
      const auto d = primitive_distance<double>(primitive, p, 1);
      ASSERT_NEAR(d.gradient.norm(), 1, 1e-12);
      const Vec3<double> nearest = p - d.value * d.gradient;
      EXPECT_NEAR(primitive_distance<double>(primitive, nearest, 0).value, 0, 1e-15);
      EXPECT_NEAR(primitive_distance<double>(primitive, p, 0).value, d.value, 1e-15);
      EXPECT_EQ(body::primitive_value<double>(primitive, p),
                primitive_distance<double>(primitive, p, 0).value);
      if (d.value > 1e-6) {
        const auto gjk = witness::separation({&shape, &dot, {Mat3<double>::Identity(), p}});
        EXPECT_NEAR(d.value, gjk.distance + 1e-9, 1e-12);
        EXPECT_LT((d.gradient - gjk.n).norm(), 1e-6);
      }
      if (d.value > 0 || shape.geometry.half_space()) continue;
      ++inside;
      const asset::PointsView& points = shape.geometry.points();
      for (int k = 0; k < points.point_count; ++k)
        ASSERT_GE((Vec3<double>(points.x[k], points.y[k], points.z[k]) - p).norm(), -d.value - 1e-15);
    }
    EXPECT_GT(inside, shape.geometry.half_space() ? -1 : 2);
  }
}

// Each derivative against differences of the one before, in extended precision. They jump at edges and on
// medial surfaces: on a few points.
TEST(PrimitiveDistance, DerivativesAreThoseOfTheValue) {
  for (const Primitive& primitive : all_primitives()) {
    SCOPED_TRACE(row_of(primitive).name);
    Random random(4);
    int good = 0;
    constexpr int kPoints = 300;
    for (int i = 0; i < kPoints; ++i) {
      const Vec3<S> p = random_point(random, 0.04).cast<S>();
      const auto at = primitive_distance<S>(primitive, p, 3);
      const S h = 1e-7L;
      S gap[3] = {0, 0, 0};
      for (int k = 0; k < 3; ++k) {
        const auto up = primitive_distance<S>(primitive, p + h * Vec3<S>::Unit(k), 2),
                   down = primitive_distance<S>(primitive, p - h * Vec3<S>::Unit(k), 2);
        const Vec3<S> n = (up.gradient - down.gradient) / (2 * h);
        const Mat3<S> H = (up.hessian - down.hessian) / (2 * h);
        gap[0] = std::max(gap[0], std::abs((up.value - down.value) / (2 * h) - at.gradient[k]));
        gap[1] = std::max(gap[1], (n - at.hessian.col(k)).norm() / (10 + at.hessian.norm()));
        gap[2] = std::max(gap[2], (H - at.third[k]).norm() / (100 + at.third[k].norm()));
        EXPECT_EQ((at.third[k] - at.third[k].transpose()).norm(), 0);
      }
      good += gap[0] < 1e-8L && gap[1] < 1e-7L && gap[2] < 1e-6L;
    }
    EXPECT_GE(good, 0.97 * kPoints);
  }
}

TEST(PrimitiveDistance, WhatIsNotAskedForIsZero) {
  const Vec3<double> p(0.05, 0.03, 0.02);
  for (const Primitive& primitive : all_primitives()) {
    const auto value = primitive_distance<double>(primitive, p, 0),
               slope = primitive_distance<double>(primitive, p, 1);
    EXPECT_TRUE(value.gradient.isZero(0) && value.hessian.isZero(0) && slope.hessian.isZero(0));
    EXPECT_TRUE(slope.third[0].isZero(0));
  }
}

// Where several points are nearest one of them is taken.
TEST(PrimitiveDistance, AtCentresAndOnAxesThereAreNumbers) {
  for (const Primitive& primitive : all_primitives())
    for (const Vec3<double>& p : {Vec3<double>(0, 0, 0), Vec3<double>(0, 0, 0.005), Vec3<double>(0, 0, -0.1),
                                  Vec3<double>(0.001, 0, 0)}) {
      const auto d = primitive_distance<double>(primitive, p, 2);
      EXPECT_TRUE(std::isfinite(d.value) && d.hessian.allFinite()) << row_of(primitive).name;
      EXPECT_NEAR(d.gradient.norm(), 1, 1e-12) << row_of(primitive).name << " " << p.transpose();
    }
  EXPECT_EQ(primitive_distance<double>(body::Sphere<double>{0.02}, {0, 0, 0}, 1).value, -0.02);
  const auto flat = primitive_distance<double>(body::Ellipsoid<double>{{0.05, 0.03, 0.02}}, {0, 0, 0}, 1);
  EXPECT_NEAR(flat.value, -0.02, 1e-16);
}

// There the nearest points lie on either side, and what is told is of one of them, as a little above.
TEST(PrimitiveDistance, InTheFlatDiscBetweenAnEllipsoidsFoci) {
  struct Case {
    Vec3<double> semi_axes, p, above;
  };
  for (const auto& [semi_axes, p, above] : {Case{{0.05, 0.05, 0.01}, {0.02, 0.01, 0}, {0, 0, 1e-9}},
                                            Case{{0.05, 0.05, 0.01}, {0.003, 0.001, 0}, {0, 0, 1e-9}},
                                            Case{{0.01, 0.02, 0.015}, {0, 1e-3, 2e-3}, {1e-9, 0, 0}},
                                            Case{{0.05, 0.03, 0.02}, {0, 0, 0}, {0, 0, 1e-9}}}) {
    const body::Ellipsoid<double> ellipsoid{semi_axes};
    const auto at = primitive_distance<double>(ellipsoid, p, 3),
               beside = primitive_distance<double>(ellipsoid, p + above, 3);
    EXPECT_LT((at.gradient - beside.gradient).norm(), 1e-6);
    EXPECT_LT((at.hessian - beside.hessian).norm(), 1e-5 * at.hessian.norm());
    EXPECT_LT((at.hessian * at.gradient).norm(), 1e-12 * at.hessian.norm());
    for (int k = 0; k < 3; ++k)
      EXPECT_LT((at.third[k] - beside.third[k]).norm(), 1e-4 * at.hessian.squaredNorm());
  }
  // At the disc's rim, too, the gradient is that of a little above.
  const body::Ellipsoid<double> plate{{0.05, 0.05, 0.01}};
  const double rim = 0.05 * (1 - 0.04);
  for (const double share : {0.9, 0.99, 0.999, 0.9999, 1.001}) {
    const auto at = primitive_distance<double>(plate, {share * rim, 0, 0}, 1);
    EXPECT_LT((at.gradient - primitive_distance<double>(plate, {share * rim, 0, 1e-12}, 1).gradient).norm(),
              1e-5)
        << share;
  }
  const auto centre =
      primitive_distance<double>(body::Ellipsoid<double>{Vec3<double>::Constant(0.01)}, {0, 0, 0}, 3);
  EXPECT_EQ(centre.value, -0.01);
  EXPECT_TRUE(centre.hessian.isZero(0));
}

TEST(PrimitiveDistance, FarAway) {
  for (const Primitive& primitive : test::solid_primitives())
    for (const double far : {1e3, 1e60, 1e150, 1e300}) {
      const double value = primitive_distance<double>(primitive, {0.6 * far, 0, -0.8 * far}, 0).value;
      EXPECT_NEAR(value / far, 1, 1e-4) << row_of(primitive).name;
    }
}

// From 1e4 m on a primitive is a point up to 1e-5: gradient n and Hessian (I - n n') / distance. Flat faces
// and edges that face the point have less curvature; along no axis there are none.
TEST(PrimitiveDistance, FarAwayHasDerivatives) {
  const Vec3<double> n = Vec3<double>(0.36, -0.48, 0.8);
  const Mat3<double> across = Mat3<double>::Identity() - n * n.transpose();
  for (const Primitive& primitive : test::solid_primitives())
    for (const double far : {1e4, 1e60, 1e100, 1e110, 1e140, 1e150, 1e154, 1e160, 1e200, 1e300}) {
      SCOPED_TRACE(std::string(row_of(primitive).name) + " " + std::to_string(std::log10(far)));
      for (const int order : {1, 2, 3}) {
        const auto d = primitive_distance<double>(primitive, far * n, order);
        const auto precise = primitive_distance<S>(primitive, (far * n).cast<S>(), order);
        EXPECT_NEAR(d.value / far, 1, 1e-5);
        EXPECT_LT((d.gradient - n).norm(), 1e-5);
        EXPECT_LT((precise.gradient.cast<double>() - d.gradient).norm(), 1e-14);
        if (order > 1) {
          EXPECT_LT((d.hessian * far - across).norm(), 1e-4);
        }
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(d.third[k].allFinite());
      }
    }
}

}  // namespace
