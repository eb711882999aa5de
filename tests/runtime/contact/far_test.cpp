// Pairs farther apart, and larger, than single precision has numbers for.
#include <gtest/gtest.h>

#include "runtime/contact/model.h"
#include "runtime/contact/pressure_field.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;

const Vec6<double> kStill = Vec6<double>::Zero();

asset::Asset box(double half) { return test::convex_asset(test::box_hull({half, 0.8 * half, half})); }

TEST(FarApart, PressureFieldsDoNotMeet) {
  const asset::Asset A = box(0.05), B = box(0.04);
  const asset::AssetView a = asset::view(A), b = asset::view(B);
  const auto model = contact::make_pressure_field_model();
  Random random(51);
  for (const double far : {1e3, 1e20, 1e38, 3.5e38, 1e39, 1e100, 1e160, 1e300}) {
    Pose<double> X_AB{test::random_rotation(random), Vec3<double>::Zero()};
    X_AB.p = far * X_AB.R.col(0);
    const contact::PairWrench w = model->wrench({&a, &b, X_AB}, kStill, kStill);
    EXPECT_EQ(w.status, Status::kNoOverlap) << far;
    EXPECT_EQ(w.F_BBo_B, kStill) << far;
    EXPECT_EQ(model->constraints({&a, &b, X_AB}, 0.01).status, Status::kNoOverlap) << far;
  }
}

// A force that is no number is said to be none.
TEST(FarApart, OverflowIsInvalid) {
  const asset::Asset A = box(0.05);
  const asset::AssetView a = asset::view(A);
  contact::PressureFieldConfig config;
  config.A.modulus = 1e18;
  config.A.dissipation = config.B.dissipation = 0.1;
  Vec6<double> fast = kStill;
  fast[5] = 1e300;
  Pose<double> X_AB;
  X_AB.p.z() = 0.01;
  const contact::PairWrench w = contact::half_space_wrench(a, {1e-9}, X_AB.inverse(), fast, kStill, config);
  EXPECT_TRUE(w.status == Status::kInvalidInput ? w.F_BBo_B.array().isNaN().all() : w.F_BBo_B.allFinite());
}

}  // namespace
