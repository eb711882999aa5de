#include "runtime/contact/point.h"

#include <gtest/gtest.h>

#include "runtime/core/error.h"
#include "runtime/witness/pair_query.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using contact::PointConfig;
using contact::Want;

struct Boxes {
  asset::Asset A = test::convex_asset(test::box_hull({0.5, 0.5, 0.5})),
               B = test::convex_asset(test::box_hull({0.1, 0.1, 0.1}));
  body::Body a = test::body_of(A), b = test::body_of(B);
  Mat3<double> on_corner =
      shortest_rotation<double>(Vec3<double>(1, 1, 1).normalized(), Vec3<double>::UnitZ());
  // B on its corner, `depth` into the top of A at (x, y)
  body::Pair pair(double x, double y, double depth) const {
    return {&a, &b, {on_corner, {x, y, 0.5 + 0.1 * std::sqrt(3.0) - depth}}};
  }
};

TEST(PointContact, PushesAlongTheNormalByStiffnessTimesDepth) {
  const Boxes boxes;
  const auto model = contact::make_point_model({.stiffness = 2000, .gumbel = {}, .clamp = {}});
  const auto w = model->wrench(boxes.pair(0.05, -0.02, 0.003), Want::kJacobian | Want::kEnergy);
  EXPECT_NEAR(w.energy, 0.5 * 2000 * 0.003 * 0.003, 1e-12);
  EXPECT_TRUE(std::isnan(w.area));
  const Vec6<double> on_B = shift_wrench<double>({boxes.on_corner, {0, 0, 0}}, w.F_BBo_B);
  EXPECT_LT((on_B.tail<3>() - Vec3<double>(0, 0, 6)).norm(), 1e-9);
  EXPECT_LT(on_B.head<3>().norm(), 1e-9);  // the corner is straight below B's centre
  // along the normal the Jacobian is the stiffness, whatever the curvature
  const Vec3<double> n_B = boxes.on_corner.transpose() * Vec3<double>::UnitZ();
  EXPECT_NEAR(n_B.dot(w.dF_dxi_B.bottomRightCorner<3, 3>() * n_B), -2000, 1e-6);
  EXPECT_EQ(w.dF_dV_AB_B.norm(), 0);
}

TEST(PointContact, NothingApartAndOneContactWithinTheMargin) {
  const Boxes boxes;
  const auto model = contact::make_point_model();
  const auto apart = boxes.pair(0.05, -0.02, -0.004);
  const auto w = model->wrench(apart, Want::kJacobian | Want::kEnergy);
  EXPECT_EQ(w.status, Status::kNoOverlap);
  EXPECT_EQ(w.F_BBo_B.norm() + w.dF_dxi_B.norm() + w.dF_dV_AB_B.norm() + w.energy, 0);
  EXPECT_EQ(model->constraints(apart, 0.003).status, Status::kNoOverlap);
  const auto found = model->constraints(apart, 0.005);
  ASSERT_EQ(found.points.size(), 1u);
  const contact::ContactPoint& c = found.points[0];
  EXPECT_NEAR(c.gap, 0.004, 1e-12);
  EXPECT_LT((c.n_A - Vec3<double>::UnitZ()).norm(), 1e-12);
  EXPECT_LT((c.p_AC - Vec3<double>(0.05, -0.02, 0.502)).norm(), 1e-12);
  EXPECT_EQ(c.area, 0);
}

TEST(PointContact, WhatWasNotAskedForIsNaN) {
  const Boxes boxes;
  const auto model = contact::make_point_model();
  for (const double depth : {0.003, -0.004}) {
    const auto w = model->wrench(boxes.pair(0.05, -0.02, depth), Want::kValue);
    EXPECT_TRUE(w.F_BBo_B.allFinite());
    EXPECT_TRUE(w.dF_dxi_B.array().isNaN().all() && w.dF_dV_AB_B.array().isNaN().all());
    EXPECT_TRUE(std::isnan(w.energy));
  }
}

// A ball in a face of a box, whether the box is an asset or a primitive, is A or B: in closed form. In the
// ball's frame the force along the face's normal is fixed in A, and so is the point beneath the centre.
TEST(PointContact, OfAssetsWithPrimitives) {
  const double radius = 0.1, depth = 0.003, k = 2000;
  const Boxes boxes;
  const body::Body ball = test::body_of(body::Sphere<double>{radius}),
                   box = test::body_of(body::Box<double>{{0.5, 0.5, 0.5}});
  const auto model = contact::make_point_model({.stiffness = k, .gumbel = {}, .clamp = {}});
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.05, -0.02, 0.5 + radius - depth}};
  const Vec3<double> n_B = X_AB.R.transpose() * Vec3<double>::UnitZ();
  Mat6<double> expected = Mat6<double>::Zero();
  expected.bottomLeftCorner<3, 3>() = k * depth * skew(n_B);
  expected.bottomRightCorner<3, 3>() = -k * n_B * n_B.transpose();
  for (const body::Body* under : {&boxes.a, &box}) {
    const auto w = model->wrench({under, &ball, X_AB}, Want::kJacobian | Want::kEnergy);
    EXPECT_EQ(w.status, Status::kOk);
    EXPECT_NEAR(w.energy, k * depth * depth / 2, 1e-12);
    EXPECT_LT((w.F_BBo_B.tail<3>() - k * depth * n_B).norm(), 1e-9);
    EXPECT_LT(w.F_BBo_B.head<3>().norm(), 1e-9);
    if (under == &box) {
      EXPECT_LT((w.dF_dxi_B - expected).norm(), 1e-6);
    } else {  // where the hull's curvature is an estimate, along the normal
      EXPECT_NEAR(n_B.dot(w.dF_dxi_B.bottomRightCorner<3, 3>() * n_B), -k, 1e-6);
    }
    const auto other = model->wrench({&ball, under, X_AB.inverse()}, Want::kJacobian | Want::kEnergy);
    EXPECT_NEAR(other.energy, w.energy, 1e-12);
    EXPECT_LT((other.F_BBo_B + shift_wrench(X_AB, w.F_BBo_B)).norm(), 1e-9);
  }
}

// Of two primitives the curvature is exact: the Jacobian is the wrench's own, the wrench the energy's slope.
TEST(PointContact, OfPrimitivesIsDifferentiatedExactly) {
  const body::Body egg = test::body_of(body::Ellipsoid<double>{{0.1, 0.06, 0.05}}),
                   roll = test::body_of(body::Cylinder<double>{0.06, 0.04});
  const auto model = contact::make_point_model();
  Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.02, 0.01, 0.1}};
  const auto ask = [&](const Pose<double>& X) {
    return model->wrench({&egg, &roll, X}, Want::kJacobian | Want::kEnergy);
  };
  X_AB.p.z() -= witness::separation({&egg, &roll, X_AB}).distance + 0.002;
  const auto w = ask(X_AB);
  ASSERT_EQ(w.status, Status::kOk);
  for (int i = 0; i < 6; ++i) {
    const auto at = [&](double h) { return ask(X_AB * exp<double>(h * Vec6<double>::Unit(i))); };
    const double h = 1e-6;
    const auto up = at(h), down = at(-h);
    EXPECT_NEAR(w.F_BBo_B[i], -(up.energy - down.energy) / (2 * h), 1e-6 * w.F_BBo_B.norm()) << i;
    const Vec6<double> slope = (up.F_BBo_B - down.F_BBo_B) / (2 * h);
    EXPECT_LT((w.dF_dxi_B.col(i) - slope).norm(), 1e-5 * w.dF_dxi_B.norm()) << i;
  }
}

// The points hold; what was asked of derivatives says that the faces slide along one another.
TEST(PointContact, ParallelFacesClampWhatIsDifferentiated) {
  const body::Body box = test::body_of(body::Box<double>{{0.03, 0.02, 0.04}});
  const auto model = contact::make_point_model();
  const body::Pair pair{&box, &box, {Mat3<double>::Identity(), {0.055, 0.001, 0.002}}};
  EXPECT_EQ(model->wrench(pair, Want::kJacobian).status, Status::kClamped);
  EXPECT_EQ(model->constraints(pair, 0, Want::kValue).status, Status::kOk);
  const auto found = model->constraints(pair, 0, Want::kJacobian);
  EXPECT_EQ(found.status, Status::kClamped);
  EXPECT_EQ(found.points.size(), 1u);
  EXPECT_EQ(found.derivatives.size(), 1u);
}

TEST(PointContact, PairsThatItCannotTakeAreRefused) {
  const asset::Asset empty;
  const body::Body none = test::body_of(empty), plane = test::body_of(body::HalfSpace<double>{}),
                   ball = test::body_of(body::Sphere<double>{0.1});
  const auto model = contact::make_point_model();
  for (const body::Pair& bad : {body::Pair{&ball, &none, {}}, body::Pair{&none, &ball, {}},
                                body::Pair{&plane, &plane, {}}, body::Pair{&ball, nullptr, {}}}) {
    EXPECT_THROW(model->require_valid(bad), InvalidInput);
    EXPECT_THROW(model->wrench(bad), InvalidInput);
    EXPECT_THROW(model->constraints(bad, 0.01), InvalidInput);
  }
  EXPECT_NO_THROW(model->require_valid({&plane, &ball, {}}));
}

TEST(PointContact, SettingsOutOfRangeAreRefused) {
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    PointConfig config;
    config.stiffness = bad;
    EXPECT_THROW(contact::make_point_model(config), InvalidInput);
  }
  PointConfig config;
  config.gumbel.rings = 0;
  EXPECT_THROW(contact::make_point_model(config), InvalidInput);
}

// The square of the depth is no number.
TEST(PointContact, AnEnergyBeyondNumbersIsRefused) {
  const body::Body A = test::body_of(body::Sphere<double>{1e155}), B = A;
  const auto model = contact::make_point_model({.stiffness = 1, .gumbel = {}, .clamp = {}});
  const body::Pair pair{&A, &B, {Mat3<double>::Identity(), {1e140, 0, 0}}};
  EXPECT_EQ(model->wrench(pair, Want::kValue).status, Status::kOk);
  const auto w = model->wrench(pair, Want::kValue | Want::kEnergy);
  EXPECT_EQ(w.status, Status::kInvalidInput);
  EXPECT_TRUE(std::isnan(w.energy) && w.F_BBo_B.array().isNaN().all());
}

}  // namespace
