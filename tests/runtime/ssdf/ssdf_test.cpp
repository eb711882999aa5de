#include "runtime/ssdf/ssdf.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "tests/support/point_clouds.h"

namespace {

using abut::Vec3;
using abut::asset::OrientedPoints;
using abut::ssdf::soft_distance_dense;
using abut::test::sphere_points;

// Of points on a sphere the zero surface lies eps1 / (2 R) outside (formula of the first order).
TEST(Ssdf, TheZeroSurfaceOfASphereIsOffsetAsExpected) {
  constexpr double kRadius = 0.05;
  const OrientedPoints points = sphere_points(kRadius, 4000);
  const auto view = abut::asset::view(points);
  const double eps1 = 4 * view.spacing * view.spacing;  // smooth enough for the points' pattern to vanish
  double inside = kRadius - 0.001, outside = kRadius + 0.002;
  for (int i = 0; i < 60; ++i) {
    const double r = (inside + outside) / 2;
    const Vec3<double> p = r * Vec3<double>(0.6, 0.0, 0.8);
    (soft_distance_dense<double>(view, p, eps1).value < 0 ? inside : outside) = r;
  }
  EXPECT_NEAR(inside - kRadius, eps1 / (2 * kRadius), 0.02 * eps1 / (2 * kRadius));
}

TEST(Ssdf, DerivativesAreThoseOfTheValue) {
  const OrientedPoints points = sphere_points(0.05, 400);
  const auto view = abut::asset::view(points);
  using S = long double;
  const S eps1 = S(abut::ssdf::default_eps1(view)), step = 1e-6L;
  abut::Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Vec3<S> p =
        Vec3<S>(S(random.uniform(-1, 1)), S(random.uniform(-1, 1)), S(random.uniform(-1, 1))).normalized() *
        S(random.uniform(0.04, 0.065));
    const auto at = soft_distance_dense<S>(view, p, eps1);
    EXPECT_EQ(at.status, abut::Status::kOk);
    for (int k = 0; k < 3; ++k) {
      const Vec3<S> d = step * Vec3<S>::Unit(k);
      const auto ahead = soft_distance_dense<S>(view, p + d, eps1),
                 behind = soft_distance_dense<S>(view, p - d, eps1);
      EXPECT_NEAR(double((ahead.value - behind.value) / (2 * step)), double(at.gradient[k]), 1e-5);
      EXPECT_LT(double(((ahead.gradient - behind.gradient) / (2 * step) - at.hessian.col(k)).norm()),
                1e-5 * double(at.hessian.norm() + 1));
    }
    EXPECT_LT(double((at.hessian - at.hessian.transpose()).norm()), 1e-12 * double(at.hessian.norm() + 1));
    const auto plain = soft_distance_dense<double>(view, p.cast<double>(), double(eps1));
    EXPECT_NEAR(plain.value, double(at.value), 1e-12);
  }
}

TEST(Ssdf, BadInputGivesNoPlausibleNumber) {
  const OrientedPoints points = sphere_points(1, 10);
  const auto view = abut::asset::view(points);
  const Vec3<double> p(0, 0, 2), bad(0, std::nan(""), 0);
  for (const auto& result :
       {soft_distance_dense<double>(view, bad, 1.0), soft_distance_dense<double>(view, p, 0.0),
        soft_distance_dense<double>({}, p, 1.0)}) {
    EXPECT_EQ(result.status, abut::Status::kInvalidInput);
    EXPECT_TRUE(std::isnan(result.value));
    EXPECT_TRUE(std::isnan(result.gradient[0]) && std::isnan(result.hessian(2, 2)));
  }
}

}  // namespace
