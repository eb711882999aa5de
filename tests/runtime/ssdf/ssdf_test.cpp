#include "runtime/ssdf/ssdf.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "runtime/ssdf/primitives.h"
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

// Near the surface and 10 cm away: gradient to 1e-8, Hessian to 1e-6 of its size.
TEST(Ssdf, DerivativesAreThoseOfTheValue) {
  const OrientedPoints points = sphere_points(0.05, 400);
  const auto view = abut::asset::view(points);
  using S = long double;
  const S eps1 = S(abut::ssdf::default_eps1(view)), step = 2e-6L;
  abut::Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Vec3<S> p =
        Vec3<S>(S(random.uniform(-1, 1)), S(random.uniform(-1, 1)), S(random.uniform(-1, 1))).normalized() *
        (i % 4 == 3 ? S(0.15) : S(random.uniform(0.04, 0.065)));
    const auto at = soft_distance_dense<S>(view, p, eps1);
    EXPECT_EQ(at.status, abut::Status::kOk);
    for (int k = 0; k < 3; ++k) {
      const auto ask = [&](int steps) {
        return soft_distance_dense<S>(view, p + S(steps) * step * Vec3<S>::Unit(k), eps1);
      };
      const auto l2 = ask(-2), l1 = ask(-1), r1 = ask(1), r2 = ask(2);
      const S slope = (8 * (r1.value - l1.value) - (r2.value - l2.value)) / (12 * step);
      const Vec3<S> bend = (8 * (r1.gradient - l1.gradient) - (r2.gradient - l2.gradient)) / (12 * step);
      EXPECT_NEAR(double(slope), double(at.gradient[k]), 1e-8);
      EXPECT_LT(double((bend - at.hessian.col(k)).norm()), 1e-6 * double(at.hessian.norm() + 1));
    }
    EXPECT_LT(double((at.hessian - at.hessian.transpose()).norm()), 1e-12 * double(at.hessian.norm() + 1));
    const auto plain = soft_distance_dense<double>(view, p.cast<double>(), double(eps1));
    EXPECT_NEAR(plain.value, double(at.value), 1e-12);
  }
}

// Figure 4 of [Beker2025]: on the axis of a finely sampled square of half size 1 the sums over the sides are
// integrals of Gaussians: with w_k their weight, the right side counts x - 1, the left one -x - 1, the other
// two -1.
TEST(Ssdf, ASquareHasTheValuesOfFigure4) {
  using abut::test::square_points;
  const OrientedPoints points = square_points(400);
  const auto view = abut::asset::view(points);
  for (const double eps1 : {0.01, 0.25, 0.5, 10.0}) {
    const double root = std::sqrt(eps1);
    for (const double x : {0.0, 0.3, 0.7, 0.95, 1.0, 1.1, 1.6, 3.0}) {
      const double across = 2 * std::erf(1 / root),
                   flat = std::erf((1 - x) / root) + std::erf((1 + x) / root);
      const double right = std::exp(-(x - 1) * (x - 1) / eps1) * across,
                   left = std::exp(-(x + 1) * (x + 1) / eps1) * across,
                   other = 2 * std::exp(-1 / eps1) * flat;
      const double expected = (right * (x - 1) - left * (x + 1) - other) / (right + left + other);
      EXPECT_NEAR(soft_distance_dense<double>(view, {x, 0, 0}, eps1).value, expected, 1e-4)
          << eps1 << " " << x;
    }
  }
}

// As eps1 grows without bound the zero set grows too: with w ~ 1 + 2 p . p_i / eps1 and M = mean of p_i n_i',
// a multiple of the identity here, value = 2 p . M p / eps1 - trace M: a circle of radius sqrt(eps1) about a
// square, a sphere of radius sqrt(1.5 eps1) about a cube.
TEST(Ssdf, WithoutBoundTheZeroSetIsAGrowingSphere) {
  const OrientedPoints square = abut::test::square_points(6), cube = abut::ssdf::box_points({1, 1, 1}, 0.4);
  for (const double eps1 : {1e4, 1e6}) {
    for (const bool solid : {false, true}) {
      const auto view = abut::asset::view(solid ? cube : square);
      const Vec3<double> direction = solid ? Vec3<double>(0.6, 0.64, 0.48) : Vec3<double>(0.6, 0.8, 0);
      double inside = 0, outside = 2 * std::sqrt(eps1);
      for (int i = 0; i < 60; ++i) {
        const double r = (inside + outside) / 2;
        (soft_distance_dense<double>(view, r * direction, eps1).value < 0 ? inside : outside) = r;
      }
      const double expected = std::sqrt((solid ? 1.5 : 1.0) * eps1);
      EXPECT_NEAR(inside / expected, 1, 10 / eps1) << eps1 << " " << solid;
    }
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
