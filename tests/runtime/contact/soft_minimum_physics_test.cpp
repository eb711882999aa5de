// What soft-minimum contact does with simple bodies, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/contact/soft_minimum.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/primitives.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using namespace abut::contact;
using asset::PointsView;
using ssdf::Order;

const Vec6<double> kStill = Vec6<double>::Zero();

// Of B at a pose of A: wrench about Bo in B.
Vec6<double> wrench(const PointsView& A, const PointsView& B, const Pose<double>& X_AB,
                    const Vec6<double>& V = kStill) {
  SoftMinimum<double> found;
  soft_minimum(A, B, X_AB, V, parameters_of({}, A, B), Order::kValue, found);
  return found.F_BBo_B;
}

Pose<double> at(double x, double y, double z) { return {Mat3<double>::Identity(), {x, y, z}}; }

// Height of B's origin at which A carries `load` (N) along z.
double rest_height(const PointsView& A, const PointsView& B, double load, double low, double high) {
  for (int i = 0; i < 50; ++i) {
    const double z = (low + high) / 2;
    (wrench(A, B, at(0, 0, z))[5] > load ? low : high) = z;
  }
  return low;
}

class OnThePlane : public testing::Test {
 protected:
  asset::OrientedPoints plane_ = ssdf::half_space_points(1, 0.008),
                        box_ = ssdf::box_points({0.05, 0.04, 0.03}, 0.008);
  PointsView plane = asset::view(plane_), box = asset::view(box_);
  SoftMinimumParameters<double> with = parameters_of({}, plane, box);
};

// k eps3 log(1 + exp(depth / eps3)) = load, upright: no torque.
TEST_F(OnThePlane, ABoxSettlesAsDeepAsTheStiffnessPredicts) {
  for (const double load : {0.5, 1.0, 4.0}) {
    const double force = load * with.stiffness * 0.05 * box.spacing;
    const double depth = with.eps3 * std::log(std::expm1(force / (with.stiffness * with.eps3)));
    const double z = rest_height(plane, box, force, 0.02, 0.04);
    EXPECT_NEAR(0.03 - z, depth, 0.02 * std::abs(depth)) << load;
    const Vec6<double> F = wrench(plane, box, at(0, 0, z));
    EXPECT_LT(F.head<3>().norm(), 1e-6 * force * 0.05);
    EXPECT_LT(std::hypot(F[3], F[4]), 1e-6 * force);
  }
}

TEST_F(OnThePlane, SlidingFrictionIsMuTimesTheNormalForce) {
  const Pose<double> X = at(0, 0, 0.0297);
  for (const double speeds : {10.0, 30.0, 100.0}) {
    Vec6<double> V = kStill;
    V[3] = 0.6 * speeds * with.stiction_velocity;
    V[4] = 0.8 * speeds * with.stiction_velocity;
    const Vec6<double> F = wrench(plane, box, X, V);
    EXPECT_NEAR(std::hypot(F[3], F[4]) / F[5], with.friction, 0.01 * with.friction) << speeds;
    EXPECT_LT(F[3] * V[3] + F[4] * V[4], 0);
  }
}

// The model's friction is that of the bodies' materials: their harmonic mean, none if one is smooth.
TEST_F(OnThePlane, FrictionIsOfTheMaterials) {
  const asset::Asset ground = test::points_asset(plane_), block = test::points_asset(box_);
  const body::Body A = test::body_of(ground, {.friction = 0.3}),
                   rough = test::body_of(block, {.friction = 0.6}), smooth = test::body_of(block);
  const auto model = make_soft_minimum_model();
  const Pose<double> X = at(0, 0, 0.0297);
  Vec6<double> V = kStill;
  V[3] = 100 * with.stiction_velocity;
  with.friction = 0.4;
  SoftMinimum<double> expected;
  soft_minimum(plane, box, X, V, with, Order::kValue, expected);
  const Vec6<double> found = model->wrench({&A, &rough, X, V}, Want::kValue).F_BBo_B;
  EXPECT_LT((found - expected.F_BBo_B).norm(), 1e-12 * expected.F_BBo_B.norm());
  EXPECT_NEAR(-found[3] / found[5], 0.4, 0.004);
  const Vec6<double> sliding = model->wrench({&A, &smooth, X, V}, Want::kValue).F_BBo_B;
  EXPECT_LT(std::abs(sliding[3]), 1e-3 * sliding[5]);
}

// Damping: pressing together is resisted harder, and nothing sticks.
TEST_F(OnThePlane, DampingOpposesTheNormalVelocity) {
  const Pose<double> X = at(0, 0, 0.0297);
  const double rest = wrench(plane, box, X)[5];
  Vec6<double> V = kStill;
  V[5] = -with.dissipation_velocity;
  EXPECT_NEAR(wrench(plane, box, X, V)[5], 2 * rest, 0.02 * rest);
  V[5] = 2.5 * with.dissipation_velocity;
  EXPECT_NEAR(wrench(plane, box, X, V)[5], 0, 0.02 * rest);
}

// A small box off the middle of a large one: the force stands under it.
TEST(Stack, TheUpperBoxIsCarriedWhereItStands) {
  const asset::OrientedPoints lower = ssdf::box_points({0.08, 0.08, 0.03}, 0.008),
                              upper = ssdf::box_points({0.024, 0.024, 0.02}, 0.008);
  const PointsView A = asset::view(lower), B = asset::view(upper);
  constexpr double kHalfSpacing = 0.004;
  for (const double x : {-0.04, 0.0, 0.03}) {
    const Pose<double> X = at(x, 0.01, 0.0496);
    const Vec6<double> F = wrench(A, B, X), F_A = shift_wrench(X, F);
    ASSERT_GT(F[5], 0);
    EXPECT_NEAR(-F_A[1] / F_A[5], x, kHalfSpacing);  // centre of pressure: tau = p x f
    EXPECT_NEAR(F_A[0] / F_A[5], 0.01, kHalfSpacing);
  }
}

// A horseshoe of two legs standing on a box: both carry when they stand level; the deeper one more when it
// leans.
TEST(Horseshoe, BothEndsCarryTheirShare) {
  const asset::OrientedPoints table = ssdf::box_points({0.08, 0.06, 0.02}, 0.006);
  const auto leg = ssdf::box_points({0.01, 0.01, 0.03}, 0.005);
  const PointsView one = asset::view(leg);
  std::vector<Vec3<double>> positions, normals;
  for (const double side : {-0.04, 0.04})
    for (int i = 0; i < one.point_count; ++i) {
      positions.emplace_back(one.x[i] + side, one.y[i], one.z[i]);
      normals.emplace_back(one.nx[i], one.ny[i], one.nz[i]);
    }
  const asset::OrientedPoints shoe = test::make_points(positions, normals, one.spacing * one.spacing);
  const PointsView A = asset::view(table), B = asset::view(shoe);
  const auto pressure_center = [&](double lean) {
    const Pose<double> X{exp_rotation<double>({0, lean, 0}), {0, 0, 0.0497}};
    const Vec6<double> F_A = shift_wrench(X, wrench(A, B, X));
    EXPECT_GT(F_A[5], 0);
    return -F_A[1] / F_A[5];
  };
  EXPECT_NEAR(pressure_center(0), 0, 1e-4);
  const double little = pressure_center(0.002), more = pressure_center(0.01);
  EXPECT_GT(little, 0.002);  // leaning about +y presses the leg at +x down
  EXPECT_GT(more, 0.03);
  EXPECT_LT(more, 0.06);
}

TEST(Primitives, BadSizesAreRefused) {
  EXPECT_THROW(ssdf::box_points({0.1, 0, 0.1}, 0.01), InvalidInput);
  EXPECT_THROW(ssdf::box_points({0.1, 0.1, 0.1}, std::nan("")), InvalidInput);
  EXPECT_THROW(ssdf::ball_points(-1, 0.01), InvalidInput);
  EXPECT_THROW(ssdf::half_space_points(1, 0), InvalidInput);
  EXPECT_THROW(ssdf::box_points({1, 1, 1}, 1e-5), InvalidInput);
}

TEST(Settings, OutOfRangeIsRefused) {
  for (double SoftMinimumConfig::*setting :
       {&SoftMinimumConfig::eps1, &SoftMinimumConfig::eps2, &SoftMinimumConfig::eps3,
        &SoftMinimumConfig::load, &SoftMinimumConfig::penetration, &SoftMinimumConfig::dissipation,
        &SoftMinimumConfig::stiction, &SoftMinimumConfig::tolerance}) {
    for (const double value : {0.0, -1.0, std::nan("")}) {
      SoftMinimumConfig config;
      config.*setting = value;
      EXPECT_THROW(make_soft_minimum_model(config), InvalidInput);
    }
  }
  const asset::Asset ball = test::points_asset(test::sphere_points(0.05, 100));
  const auto model = make_soft_minimum_model();
  for (const double value : {-0.1, std::nan(""), 1e13}) {
    const body::Body A = test::body_of(ball), B = test::body_of(ball, {.friction = value});
    EXPECT_THROW(model->wrench({&A, &B, at(0.09, 0, 0)}), InvalidInput);
    EXPECT_THROW(model->wrench({&B, &A, at(0.09, 0, 0)}), InvalidInput);
  }
}

}  // namespace
