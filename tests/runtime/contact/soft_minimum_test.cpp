#include "runtime/contact/soft_minimum.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "tests/runtime/contact/soft_minimum_reference.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/point_clouds.h"

namespace {

using namespace abut;
using namespace abut::contact;
using asset::PointsView;
using ssdf::Order;

using test::gap;
using test::Reference;
using test::S;

struct Case {
  asset::OrientedPoints A, B;
  Pose<double> X_AB;
  Vec6<double> V;
};

// Two balls, one with a rough sampling, from deep inside each other to far apart.
Case make_case(int k) {
  Random random(7, k);
  Case c{test::sphere_points(0.05, 180), test::sphere_points(0.03, 70 + 20 * (k % 5)), {}, {}};
  const double gaps[] = {-0.02, -0.004, -0.0005, 0.0, 0.002, 0.01};
  Vec3<double> direction(random.normal(), random.normal(), random.normal());
  c.X_AB = {test::random_rotation(random), (0.08 + gaps[k % 6]) * direction.normalized()};
  for (int i = 0; i < 6; ++i) c.V[i] = random.normal() * (i < 3 ? 2 : 0.1);
  if (k % 4 == 0) c.V.setZero();
  return c;
}

TEST(SoftMinimum, TheWrenchIsThatOfThePaper) {
  for (int k = 0; k < 24; ++k) {
    SCOPED_TRACE(k);
    const Case c = make_case(k);
    const PointsView A = asset::view(c.A), B = asset::view(c.B);
    SoftMinimumConfig config;
    config.damping = k % 2 ? DampingLaw::kPaper : DampingLaw::kTwiceDifferentiable;
    config.kernel = k % 8 < 6 ? ssdf::KernelKind::kGaussian : ssdf::KernelKind::kWall;
    const auto parameters = parameters_of(config, A, B);
    S distance;
    const Vec6<S> expected =
        Reference{parameters.cast<S>()}.wrench(A, B, c.X_AB.cast<S>(), c.V.cast<S>(), distance);
    SoftMinimum<double> found, dense, scalar;
    soft_minimum(A, B, c.X_AB, c.V, parameters, Order::kValue, found);
    soft_minimum_scalar(A, B, c.X_AB, c.V, parameters, Order::kValue, scalar);
    auto all = parameters;
    all.tolerance = 0;
    soft_minimum(A, B, c.X_AB, c.V, all, Order::kValue, dense);
    SoftMinimum<S> fine;
    soft_minimum_scalar(A, B, c.X_AB.cast<S>(), c.V.cast<S>().eval(), parameters.cast<S>(), Order::kValue,
                        fine);
    for (const auto* result : {&found, &scalar, &dense}) {
      EXPECT_LT(gap(result->F_BBo_B, expected), 2e-11);
      EXPECT_LT(std::abs(double(result->distance - distance)), 1e-13);
    }
    EXPECT_LT(gap(fine.F_BBo_B, expected), 1e-12);
  }
}

void expect_derivatives(const Case& c, const SoftMinimumConfig& config, double gradient_limit,
                        double hessian_limit) {
  test::expect_derivatives(asset::view(c.A), asset::view(c.B), c.X_AB, c.V, config, gradient_limit,
                           hessian_limit);
}

TEST(SoftMinimum, DerivativesAreThoseOfTheWrench) {
  for (int k = 0; k < 6; ++k) {
    SCOPED_TRACE(k);
    expect_derivatives(make_case(k + 1), {}, 1e-8, 1e-6);
  }
}

TEST(SoftMinimum, DerivativesHoldTenCentimetresApart) {
  Case c = make_case(5);
  c.X_AB.p *= 1.8 / 0.9;  // from 10 mm to 10 cm apart
  EXPECT_NEAR(c.X_AB.p.norm() - 0.08, 0.1, 1e-9);
  expect_derivatives(c, {}, 1e-8, 1e-6);
}

// A result that is used again holds nothing of the query before.
TEST(SoftMinimum, WhatWasNotAskedForIsZero) {
  const Case c = make_case(2);
  const SoftMinimumParameters<double> with = parameters_of({}, asset::view(c.A), asset::view(c.B));
  const auto ask = [&](Order order, SoftMinimum<double>& found) {
    soft_minimum(asset::view(c.A), asset::view(c.B), c.X_AB.cast<double>(), c.V.cast<double>(), with, order,
                 found);
  };
  SoftMinimum<double> found;
  ask(Order::kHessian, found);
  EXPECT_GT(found.hessian[5].norm(), 0);
  ask(Order::kGradient, found);
  for (const Mat12<double>& of_component : found.hessian) EXPECT_EQ(of_component.norm(), 0);
  EXPECT_EQ(found.distance_hessian.norm(), 0);
  EXPECT_GT(found.jacobian.norm(), 0);
  ask(Order::kValue, found);
  EXPECT_EQ(found.jacobian.norm(), 0);
  EXPECT_EQ(found.distance_gradient.norm(), 0);
}

// Apart by more than springs reach there is no force, at any distance and at once; from 1e8 spacings on the
// distance is the gap of the balls about the points, with its derivatives.
TEST(SoftMinimum, FarApart) {
  const Case c = make_case(2);
  const PointsView A = asset::view(c.A), B = asset::view(c.B);
  const SoftMinimumParameters<double> with = parameters_of({}, A, B);
  const asset::Asset asset_A = test::points_asset(c.A), asset_B = test::points_asset(c.B);
  const body::Body a = test::body_of(asset_A), b = test::body_of(asset_B);
  const auto model = make_soft_minimum_model();
  for (const double far : {1e1, 1e3, 1e6, 1e7, 1e8, 1e14, 1e100, 1e160, 1e300}) {
    SCOPED_TRACE(far);
    Pose<double> X_AB = c.X_AB;
    X_AB.p *= far;
    const contact::PairWrench wrench = model->wrench({&a, &b, X_AB, c.V});
    EXPECT_EQ(wrench.status, Status::kNoOverlap);
    EXPECT_EQ(wrench.F_BBo_B.norm(), 0);
    EXPECT_EQ(model->constraints({&a, &b, X_AB}, 0.1).status, Status::kNoOverlap);
    SoftMinimum<double> found;
    soft_minimum(A, B, X_AB, c.V, with, Order::kHessian, found);
    EXPECT_EQ(found.status, Status::kNoOverlap);
    EXPECT_EQ(found.F_BBo_B.norm(), 0);
    EXPECT_NEAR(found.distance / X_AB.p.stableNorm(), 1, 1 / far + 0.02);
    EXPECT_NEAR(found.distance_gradient.tail<3>().norm(), 1, 0.05);
    EXPECT_TRUE(found.distance_hessian.allFinite());
  }
}

TEST(SoftMinimum, DerivativesOfTheFarView) {
  const Case c = make_case(1);
  const PointsView A = asset::view(c.A), B = asset::view(c.B);
  const auto with = parameters_of({}, A, B).cast<S>();
  Pose<S> X_AB = c.X_AB.cast<S>();
  X_AB.p *= 1e8L;
  const auto ask = [&](const Vec6<S>& xi) {
    SoftMinimum<S> found;
    soft_minimum_scalar<S>(A, B, X_AB * exp<S>(xi), Vec6<S>::Zero(), with, Order::kHessian, found);
    return found;
  };
  const SoftMinimum<S> at = ask(Vec6<S>::Zero());
  const S h = 1e-3L, length = X_AB.p.norm();
  for (int i = 0; i < 6; ++i) {
    const S up = ask(h * Vec6<S>::Unit(i)).distance, down = ask(-h * Vec6<S>::Unit(i)).distance;
    EXPECT_NEAR(double((up - down) / (2 * h)), double(at.distance_gradient[i]), 1e-8);
    EXPECT_NEAR(double((up - 2 * at.distance + down) / (h * h)), double(at.distance_hessian(i, i)), 1e-5);
    for (int j = 0; j < i; ++j) {
      const Vec6<S> both = h * (Vec6<S>::Unit(i) + Vec6<S>::Unit(j)),
                    cross = h * (Vec6<S>::Unit(i) - Vec6<S>::Unit(j));
      const S mixed =
          (ask(both).distance + ask(-both).distance - ask(cross).distance - ask(-cross).distance) /
          (4 * h * h);
      EXPECT_NEAR(double(mixed), double(at.distance_hessian(i, j)), 1e-5) << i << " " << j;
    }
  }
  EXPECT_GT(length, 1e5L);
}

TEST(SoftMinimum, SettingsOutOfRangeAreRefused) {
  const Case c = make_case(1);
  const PointsView A = asset::view(c.A), B = asset::view(c.B);
  for (double SoftMinimumConfig::*setting : {&SoftMinimumConfig::eps1, &SoftMinimumConfig::eps2,
                                             &SoftMinimumConfig::eps3, &SoftMinimumConfig::stiction})
    for (const double value : {0.0, -1.0, 1e-300, 1e300, std::nan("")}) {
      SoftMinimumConfig config;
      config.*setting = value;
      EXPECT_THROW(parameters_of(config, A, B), InvalidInput);
    }
}

// The third derivative of this kernel jumps where a plane is crossed: differences are less exact there.
TEST(SoftMinimum, DerivativesHoldWithTheKernelOfWalls) {
  SoftMinimumConfig config;
  config.kernel = ssdf::KernelKind::kWall;
  for (const int k : {1, 3, 4}) {
    SCOPED_TRACE(k);
    expect_derivatives(make_case(k), config, 1e-7, 1e-4);
  }
}

}  // namespace
