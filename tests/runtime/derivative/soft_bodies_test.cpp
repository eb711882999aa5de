#include "runtime/derivative/soft_bodies.h"

#include <gtest/gtest.h>

#include "tests/runtime/derivative/soft_differences.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using derivative::SoftHull;

struct TwoHulls {
  asset::ConvexPiece A = test::tessellated_ellipsoid(1, {0.10, 0.08, 0.05}),
                     B = test::box_hull({0.06, 0.04, 0.03});
  asset::ConvexView a = asset::view(A), b = asset::view(B);
};

// s is the gradient of h, H its Hessian, in space, and the point is in the hull.
TEST(SoftSupport, PointAndHessianAreDerivativesOfTheHeight) {
  const TwoHulls hulls;
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const SoftHull<long double> body{i % 2 ? hulls.a : hulls.b, std::pow(10.0L, -3.0L + 0.1L * i)};
    const Vec3<long double> n = test::random_rotation(random).col(0).cast<long double>();
    const auto at = derivative::soft_support(body, n);
    constexpr long double kStep = 1e-6L;
    for (int k = 0; k < 3; ++k) {
      const Vec3<long double> step = kStep * Vec3<long double>::Unit(k);
      const auto plus = derivative::soft_support<long double>(body, n + step),
                 minus = derivative::soft_support<long double>(body, n - step);
      EXPECT_NEAR(double((plus.height - minus.height) / (2 * kStep)), double(at.point[k]), 1e-11);
      EXPECT_LT(double(((plus.point - minus.point) / (2 * kStep) - at.H.col(k)).norm()),
                1e-9 * (double(at.H.norm()) + 0.1));
    }
    EXPECT_LE(at.point.dot(n), witness::support<long double>(body.hull, n).point.dot(n));
    EXPECT_GE(at.height, witness::support<long double>(body.hull, n).point.dot(n));
  }
}

// At any temperature, the points are on one normal, also of bodies that overlap.
TEST(SoftWitness, PointsAreOnOneNormal) {
  const TwoHulls hulls;
  Random random(2);
  int overlapping = 0;
  for (int i = 0; i < 300; ++i) {
    const double t = std::pow(10.0, random.uniform(-5, 0)), reach = random.uniform(0.02, 0.3);
    const Pose<double> X_AB{test::random_rotation(random), reach * test::random_rotation(random).col(0)};
    const auto exact = witness::separation<double>(hulls.a, hulls.b, X_AB);
    const auto w = derivative::soft_witness<double>({hulls.a, t}, {hulls.b, t}, X_AB, exact.n).witness;
    EXPECT_EQ(w.status, Status::kOk) << i;
    EXPECT_LT((w.p2 - w.p1 - w.distance * w.n).norm(), 1e-12) << i;
    overlapping += w.distance < 0;
    if (t >= 1e-4) continue;
    EXPECT_NEAR(w.distance, exact.distance, 30 * t) << i;
  }
  EXPECT_GT(overlapping, 30);
}

TEST(SoftWitness, CoolingGivesTheHullsOwn) {
  const TwoHulls hulls;
  const Pose<double> X_AB{Mat3<double>(Eigen::AngleAxisd(0.7, Vec3<double>(1, 2, 3).normalized())),
                          {0.2, 0.05, -0.03}};
  const auto exact = witness::separation<double>(hulls.a, hulls.b, X_AB);
  double last = 1;
  for (const double t : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const auto w = derivative::soft_witness<double>({hulls.a, t}, {hulls.b, t}, X_AB, exact.n).witness;
    const double gap = (w.p1 - exact.p1).norm() + (w.p2 - exact.p2).norm() + (w.n - exact.n).norm();
    EXPECT_LT(gap, last);
    last = gap;
  }
  EXPECT_LT(last, 1e-3);
}

// First and second derivatives against differences in extended precision, apart, touching and deep.
TEST(SoftDerivative, EqualsExtendedPrecisionDifferences) {
  const TwoHulls hulls;
  Random random(3);
  test::SoftDifferences worst;
  for (int i = 0; i < 60; ++i) {
    const double t = std::pow(10.0, random.uniform(-3, -0.5));
    Pose<double> X_AB{test::random_rotation(random), 0.3 * test::random_rotation(random).col(0)};
    test::place_at(hulls.a, hulls.b, random.uniform(-0.02, 0.03), X_AB);
    test::compare_soft_differences(hulls.a, hulls.b, t, X_AB, worst);
  }
  worst.print("polyhedral ellipsoid and box");
  EXPECT_GT(worst.compared, 50);
  EXPECT_LT(worst.first, 1e-10);
  EXPECT_LT(worst.second, 1e-10);
  EXPECT_LT(worst.rounding, 1e-9);
}

TEST(SoftDerivative, ClampedWhereTheNormalIsNotHeld) {
  const TwoHulls hulls;
  const double size = 0.2;
  auto soft = derivative::soft_witness<double>(
      {hulls.a, 0.01}, {hulls.b, 0.01}, {Mat3<double>::Identity(), {0.2, 0, 0}}, Vec3<double>::UnitX());
  soft.witness.distance = -10;  // deeper than any curvature holds
  const auto d = derivative::soft_derivative<double>(soft, {Mat3<double>::Identity(), {0.2, 0, 0}}, size);
  EXPECT_EQ(d.status, Status::kClamped);
  EXPECT_EQ(d.clamped_count, 2);
  EXPECT_TRUE(derivative::detail::finite(d));
}

TEST(SmoothedWitness, StandsBesideTheExactOne) {
  const body::Body a = test::hull_body(test::tessellated_ellipsoid(1, {0.10, 0.08, 0.05})),
                   b = test::hull_body(test::box_hull({0.06, 0.04, 0.03})),
                   ball = test::body_of(body::Sphere<double>{0.05});
  const body::Pair pair{&a, &b, {Mat3<double>::Identity(), {0.3, 0.01, 0.02}}};
  derivative::WitnessHessian<double> hessian, other;
  const derivative::SmoothedPair r = derivative::smoothed_witness(pair, "soft_bodies", {}, &hessian);
  const auto [witness, estimate] = derivative::witness_derivative(pair, "soft_bodies");
  EXPECT_EQ(r.exact.p1, witness.p1);
  EXPECT_GT((r.smoothed.p1 - r.exact.p1).norm(), 1e-4);
  EXPECT_LT((r.smoothed.p1 - r.exact.p1).norm(), 0.1);
  EXPECT_EQ(r.derivative.status, Status::kOk);

  derivative::BatchEstimator batch("soft_bodies", {}, 2);
  std::vector<derivative::SmoothedPair> results(2);
  std::vector<derivative::WitnessHessian<double>> hessians(2);
  batch.smoothed(std::vector<body::Pair>{pair, pair}, results, hessians);
  EXPECT_EQ(results[1].derivative.dp1_A_dxi_B, r.derivative.dp1_A_dxi_B);
  EXPECT_EQ(hessians[1].d, hessian.d);
  EXPECT_THROW(batch.smoothed(std::vector<body::Pair>{pair, pair}, results, std::span(&other, 1)),
               InvalidInput);
  const std::vector<body::Pair> with_ball = {pair, {&a, &ball, pair.X_AB}};
  EXPECT_EQ(test::refusal([&] { batch.smoothed(with_ball, results); }),
            "pair 1: derivative: sphere is a primitive; the answer is for hulls");
  EXPECT_THROW(derivative::smoothed_witness(with_ball[1]), InvalidInput);
  EXPECT_THROW(derivative::smoothed_witness(pair, "gumbel"), std::logic_error);
}

}  // namespace
