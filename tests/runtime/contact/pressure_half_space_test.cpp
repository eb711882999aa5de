// Half-spaces in pressure-field contact, as either body.
#include <gtest/gtest.h>

#include "runtime/contact/pressure_field.h"
#include "tests/runtime/contact/pressure_pair.h"
#include "tests/runtime/contact/pressure_solids.h"

namespace {

using namespace abut;
using namespace abut::test;
using contact::kRigid;
using contact::PairWrench;
using contact::PressureFieldConfig;
using contact::Want;

const Vec6<double> kAtRest = Vec6<double>::Zero();

TEST(PressureHalfSpace, CutsTheCubeByTheClosedForm) {
  for (const double depth : {1e-6, 0.003, 0.02}) {
    const PairWrench w = pressure_wrench(cube(), half_space(), from_below(depth), moduli(2e6, kRigid));
    const double expected = frustum_force(2e6, depth);
    EXPECT_NEAR(w.F_BBo_B[5], -expected, 1e-12 * expected);
    EXPECT_LT(w.F_BBo_B.head<5>().norm(), 1e-12 * expected);
    EXPECT_NEAR(w.area, 4 * kHalf * kHalf, 1e-14);
  }
  EXPECT_EQ(pressure_wrench(cube(), half_space(), from_below(-1e-9)).status, Status::kNoOverlap);
}

TEST(PressureHalfSpace, ACompliantOneSharesTheDepth) {
  // Bottom: modulus s / half = rise (depth - s), at the distance s from the cube's bottom.
  const double depth = 0.004, modulus = 2e6, rise = 3e6 / 0.01;
  const PairWrench w = pressure_wrench(cube(), half_space(0.01), from_below(depth), moduli(modulus, 3e6));
  const double s = rise * depth / (modulus / kHalf + rise);
  // Its surface bends up along the sides, where the cube gives way; the force upward is that on the level
  // projection, lower there: between that of the flat cut and of the flat part alone.
  EXPECT_LT(-w.F_BBo_B[5], frustum_force(modulus, s) * (1 + 1e-12));
  EXPECT_GT(-w.F_BBo_B[5], modulus * s / kHalf * 4 * (kHalf - s) * (kHalf - s));
  // An ever stiffer half-space is a rigid one.
  const PairWrench rigid = pressure_wrench(cube(), half_space(), from_below(depth), moduli(modulus, kRigid));
  const PairWrench stiff = pressure_wrench(cube(), half_space(), from_below(depth), moduli(modulus, 1e15));
  EXPECT_LT((stiff.F_BBo_B - rigid.F_BBo_B).norm(), 1e-6 * rigid.F_BBo_B.norm());
  EXPECT_LT((stiff.dF_dxi_B - rigid.dF_dxi_B).norm(), 1e-5 * rigid.dF_dxi_B.norm());
}

// F = -dU/dxi with half-spaces too, which the model's own contract does not reach.
TEST(PressureHalfSpace, HasTheWrenchForItsEnergysGradient) {
  for (const double modulus_B : {3e6, kRigid}) {
    const Pose<double> X_AB{exp_rotation<double>({0.2, -0.1, 0.3}), {0.003, 0.002, -0.04}};
    const auto ask = [&](const Pose<double>& X) {
      return pressure_wrench(cube(), half_space(), X, moduli(2e6, modulus_B), kAtRest, Want::kEnergy);
    };
    const PairWrench w = ask(X_AB);
    for (int k = 0; k < 6; ++k) {
      Vec6<double> xi = kAtRest;
      xi[k] = 1e-5;
      const double slope = (ask(X_AB * exp(xi)).energy - ask(X_AB * exp<double>(-xi)).energy) / 2e-5;
      EXPECT_NEAR(w.F_BBo_B[k], -slope, 1e-6 * w.F_BBo_B.norm()) << modulus_B << ", " << k;
    }
    EXPECT_GT(w.energy, 0);
  }
}

// Where its origin is says nothing about a half-space.
TEST(PressureHalfSpace, AsBodyAItsOriginMayBeFar) {
  Pose<double> X_AB = Pose<double>{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.03}}.inverse();
  Vec6<double> V;
  V << 0.3, -0.4, 0.2, 0.02, -0.05, 0.03;
  const auto ask = [&](double far) {
    X_AB.p.head<2>() << far, -far;
    return pressure_wrench(half_space(), potato(), X_AB, test::exchanged(rough()), V, Want::kJacobian);
  };
  const PairWrench near = ask(0);
  ASSERT_EQ(near.status, Status::kOk);
  for (const double far : {1e3, 1e7, 1e15}) {
    const PairWrench w = ask(far);
    EXPECT_LT((w.F_BBo_B - near.F_BBo_B).norm(), 1e-12 * near.F_BBo_B.norm());
    EXPECT_LT((w.dF_dxi_B - near.dF_dxi_B).norm(), 1e-12 * near.dF_dxi_B.norm()) << far;
    EXPECT_LT((w.dF_dV_AB_B - near.dF_dV_AB_B).norm(), 1e-12 * near.dF_dV_AB_B.norm()) << far;
  }
}

// A half-space as body A, in motion: the wrench of the exchanged pair, with a Jacobian of its own.
TEST(PressureHalfSpace, AsBodyAIsTheExchangedPair) {
  const Pose<double> X_AB =
      Pose<double>{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.03}}.inverse();
  Vec6<double> V;
  V << 0.3, -0.4, 0.2, 0.02, -0.05, 0.03;
  const contact::Want want = Want::kJacobian | Want::kEnergy;
  for (const bool rigid : {false, true}) {
    PressureFieldConfig config = test::exchanged(rough());
    if (rigid) config.A.modulus = kRigid;
    const auto ask = [&](const Pose<double>& X, const Vec6<double>& twist) {
      return pressure_wrench(half_space(), potato(), X, config, twist, want);
    };
    const PairWrench w = ask(X_AB, V);
    const PairWrench other = pressure_wrench(potato(), half_space(), X_AB.inverse(), test::exchanged(config),
                                             -(adjoint(X_AB) * V), want);
    ASSERT_EQ(w.status, Status::kOk);
    EXPECT_NEAR(w.area, other.area, 1e-14 * other.area);
    EXPECT_NEAR(w.energy, other.energy, 1e-13 * other.energy);
    EXPECT_GT(w.energy, 0);
    EXPECT_LT((other.F_BBo_B + shift_wrench(X_AB, w.F_BBo_B)).norm(), 1e-12 * other.F_BBo_B.norm());
    for (int k = 0; k < 12; ++k) {
      const auto at = [&](double h) -> Vec6<double> {
        Vec6<double> xi = kAtRest, dV = kAtRest;
        (k < 6 ? xi : dV)[k % 6] = h;
        return ask(X_AB * exp(xi), V + dV).F_BBo_B;
      };
      const double h = 1e-5;
      const Vec6<double> expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      const Vec6<double> found = k < 6 ? w.dF_dxi_B.col(k) : w.dF_dV_AB_B.col(k - 6);
      EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm()) << rigid << ", column " << k;
    }
  }
}

// ... and its contact points are those of the exchanged pair, seen from the other side.
TEST(PressureHalfSpace, AsBodyAHasTheSameContactPoints) {
  const Pose<double> X_BA{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.03}}, X_AB = X_BA.inverse();
  const body::Body plane{half_space(), {.modulus = 3e6}}, B{potato(), {}};
  const std::vector<contact::ContactPoint> points =
      contact::contact_points("pressure_field", {&plane, &B, X_AB}, 0);
  const std::vector<contact::ContactPoint> others =
      contact::contact_points("pressure_field", {&B, &plane, X_BA}, 0);
  ASSERT_GT(points.size(), 3u);
  ASSERT_EQ(points.size(), others.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(points[i].gap, others[i].gap, 1e-15);
    EXPECT_NEAR(points[i].area, others[i].area, 1e-12 * others[i].area);
    EXPECT_LT((points[i].p_AC - X_AB * others[i].p_AC).norm(), 1e-15);
    EXPECT_LT((points[i].n_A + X_AB.R * others[i].n_A).norm(), 1e-15);
    EXPECT_GT(points[i].n_A.z(), 0);
  }
}

// ... and their derivatives keep their digits far from the half-space's origin.
TEST(PressureHalfSpace, AsBodyAHasTheSameDerivativesEverywhere) {
  Pose<double> X_AB{exp_rotation<double>({0.1, 0.2, 0.3}), {0, 0, 0.03}};
  const body::Body plane{half_space(), {.modulus = 3e6}}, B{potato(), {}};
  const auto model = contact::make_pressure_field_model();
  const auto ask = [&] {
    const auto found = model->constraints({&plane, &B, X_AB}, 0, contact::Want::kJacobian).derivatives;
    return std::vector(found.begin(), found.end());
  };
  const std::vector<contact::ContactPointDerivative> here = ask();
  ASSERT_GT(here.size(), 3u);
  X_AB.p.head<2>() << 1e8, -1e8;
  const std::vector<contact::ContactPointDerivative> there = ask();
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(here[i].dp_dxi_B, there[i].dp_dxi_B);
    EXPECT_EQ(here[i].dn_dxi_B, there[i].dn_dxi_B);
    EXPECT_EQ(here[i].dgap_dxi_B, there[i].dgap_dxi_B);
  }
}

}  // namespace
