// Pairs farther apart, and larger, than single precision has numbers for.
#include <gtest/gtest.h>

#include "runtime/contact/model.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/contact/soft_minimum.h"
#include "tests/runtime/contact/pressure_pair.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;

const Vec6<double> kStill = Vec6<double>::Zero();

asset::Asset box(double half) { return test::convex_asset(test::box_hull({half, 0.8 * half, half})); }

TEST(FarApart, PressureFieldsDoNotMeet) {
  const asset::Asset A = box(0.05), B = box(0.04);
  const body::Body a = test::body_of(A), b = test::body_of(B);
  const auto model = contact::make_pressure_field_model();
  Random random(51);
  for (const double far : {1e3, 1e20, 1e38, 3.5e38, 1e39, 1e100, 1e160, 1e300}) {
    Pose<double> X_AB{test::random_rotation(random), Vec3<double>::Zero()};
    X_AB.p = far * X_AB.R.col(0);
    const contact::PairWrench w = model->wrench({&a, &b, X_AB});
    EXPECT_EQ(w.status, Status::kNoOverlap) << far;
    EXPECT_EQ(w.F_BBo_B, kStill) << far;
    EXPECT_EQ(model->constraints({&a, &b, X_AB}, 0.01).status, Status::kNoOverlap) << far;
  }
}

// A force that is no number is said to be none.
TEST(FarApart, OverflowIsInvalidOrFinite) {
  const asset::Asset A = box(0.05);
  const body::Material stiff{.modulus = 1e18, .dissipation = 0.1};
  const body::Body a = test::body_of(A, stiff), plane = test::body_of(body::HalfSpace<double>{1e-9}, stiff);
  Vec6<double> fast = kStill;
  fast[5] = 1e300;
  Pose<double> X_AB;
  X_AB.p.z() = 0.01;
  const Pose<double> X = X_AB.inverse();
  const contact::PairWrench w =
      contact::contact_wrench("pressure_field", {&a, &plane, X, relative_twist<double>(X, fast, kStill)});
  EXPECT_TRUE(w.status == Status::kInvalidInput ? w.F_BBo_B.array().isNaN().all() : w.F_BBo_B.allFinite());
}

// Nor are contact points and their derivatives given whose numbers are too large.
TEST(FarApart, ContactPointsAreFiniteOrNone) {
  const asset::Asset A = box(0.05);
  const body::Body a = test::body_of(A), plane = test::body_of(body::HalfSpace<double>{0.05});
  for (const auto& row : contact::models()) {
    if (!row.has_constraints) continue;
    const auto model = row.make({});
    for (const double far : {1e100, 1e154, 1e200, 1e300})
      for (const Vec3<double>& way : {Vec3<double>(0, 0, 1), Vec3<double>(0.3, -0.4, 0.9)})
        for (const bool swapped : {false, true}) {
          Pose<double> X;
          X.p = (swapped ? -far : far) * way;
          const body::Pair pair{swapped ? &plane : &a, swapped ? &a : &plane, X};
          const contact::Constraints found = model->constraints(pair, 0, contact::Want::kJacobian);
          EXPECT_EQ(found.points.size(), found.derivatives.size()) << row.name << " " << far;
          EXPECT_TRUE(found.status != Status::kInvalidInput || found.points.empty()) << row.name;
          for (const contact::ContactPoint& c : found.points)
            EXPECT_TRUE(c.p_AC.allFinite() && c.n_A.allFinite() && std::isfinite(c.gap)) << row.name;
          for (const contact::ContactPointDerivative& d : found.derivatives)
            EXPECT_TRUE(d.dp_dxi_B.allFinite() && d.dn_dxi_B.allFinite() && d.dgap_dxi_B.allFinite())
                << row.name << " " << far;
        }
  }
}

// Squares of speeds from 1e154 m/s on are no numbers; friction goes on opposing the motion.
TEST(FastMotion, FrictionOfPressureFieldsIsKept) {
  const asset::Asset A = box(0.05), B = box(0.04);
  const body::Body a = test::body_of(A, {.friction = 0.5}), b = test::body_of(B, {.friction = 0.5});
  const auto model = contact::make_pressure_field_model();
  Pose<double> X_AB;
  X_AB.p.z() = 0.08;
  const auto ask = [&](double speed) {
    Vec6<double> V = kStill;
    V[3] = speed, V[4] = -0.3 * speed;
    return model->wrench({&a, &b, X_AB, V});
  };
  const contact::PairWrench slow = ask(1e100);
  EXPECT_GT(slow.F_BBo_B.segment<2>(3).norm(), 0.4 * slow.F_BBo_B[5]);
  for (const double speed : {1e140, 1e150, 1e153, 1e154, 1e155, 1e200, 1e300}) {
    const contact::PairWrench fast = ask(speed);
    EXPECT_EQ(fast.status, slow.status) << speed;
    EXPECT_LT((fast.F_BBo_B - slow.F_BBo_B).norm(), 1e-12 * slow.F_BBo_B.norm()) << speed;
    EXPECT_LT((fast.dF_dxi_B - slow.dF_dxi_B).norm(), 1e-9 * slow.dF_dxi_B.norm()) << speed;
  }
}

TEST(FastMotion, WrenchesOfSoftMinimaAreProportionalToTheSpeed) {
  const asset::Asset A = box(0.05), B = box(0.04);
  const body::Body a = test::body_of(A, {.friction = 0.5}), b = test::body_of(B, {.friction = 0.5});
  const auto model = contact::make_soft_minimum_model();
  Pose<double> X_AB;
  X_AB.p.z() = 0.08;
  const auto ask = [&](const Vec3<double>& way, double speed) {
    Vec6<double> V = kStill;
    V.tail<3>() = speed * way;
    return model->wrench({&a, &b, X_AB, V}, contact::Want::kValue);
  };
  // into A: sliding, straight, and both ways; slopes by the pose grow with the square of the speed
  for (const Vec3<double>& way :
       {Vec3<double>(1, 0.3, -0.1), Vec3<double>(0, 0, -1), Vec3<double>(0.5, 0, -1)}) {
    const contact::PairWrench slow = ask(way, 1e100);
    for (const double speed : {1e140, 1e150, 1e153, 1e154, 1e155, 1e200, 1e290}) {
      const contact::PairWrench fast = ask(way, speed);
      ASSERT_EQ(fast.status, slow.status) << speed;
      EXPECT_LT((fast.F_BBo_B / speed - slow.F_BBo_B / 1e100).norm(), 1e-12 * (slow.F_BBo_B / 1e100).norm())
          << speed;
    }
  }
}

}  // namespace
