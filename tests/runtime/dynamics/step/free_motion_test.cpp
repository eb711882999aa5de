// Bodies that turn freely.
#include "runtime/dynamics/step/free_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/core/random.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

// J.
double turning_energy(const Eigen::Quaterniond& q, const Vec3<double>& L, const Vec3<double>& inertia) {
  const Vec3<double> P = q.conjugate() * L;
  return P.dot(inertia.cwiseInverse().cwiseProduct(P)) / 2;
}

TEST(FreeMotion, KeepsEnergyAndMomentumAtAnyStep) {
  Random random(5);
  for (const double time : {1e-3, 0.05, 0.5}) {
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    const Vec3<double> inertia(1, 2, 2.5), L(random.normal(), random.normal(), random.normal());
    const double start = turning_energy(q, L, inertia);
    for (int k = 0; k < 2000; ++k) turn_freely(q, L, inertia, time);
    EXPECT_NEAR(turning_energy(q, L, inertia), start, 1e-12 * start);
  }
}

// Newton's method from the start of the turn does not find the middle of such turns.
TEST(FreeMotion, KeepsEnergyInTurnsOfManyRadians) {
  Random random(7);
  const Vec3<double> inertia(1e-3, 2e-3, 2.5e-3);
  for (const double speed : {300.0, 1e3, 1e4, 1e5})
    for (int k = 0; k < 50; ++k) {
      Eigen::Quaterniond q(random.normal(), random.normal(), random.normal(), random.normal());
      q.normalize();
      const Vec3<double> w(random.normal(), random.normal(), random.normal());
      const Vec3<double> L = inertia.cwiseProduct(speed * w.normalized());
      const double start = turning_energy(q, L, inertia);
      for (int i = 0; i < 3; ++i) turn_freely(q, L, inertia, 5e-3);
      EXPECT_NEAR(turning_energy(q, L, inertia), start, 1e-10 * start) << speed;
    }
}

TEST(FreeMotion, SlopesOfTurnsOfManyRadiansAreThoseOfTheParts) {
  const Vec3<double> inertia(1e-3, 2e-3, 2.5e-3), L(1.2, -0.7, 0.9);
  constexpr double kTime = 5e-3, kSize = 1e-5;
  Eigen::Quaterniond q(0.3, 0.5, -0.2, 0.7);
  q.normalize();
  const auto end = [&](const Vec3<double>& turn, const Vec3<double>& dL, const Vec3<double>& moments) {
    Eigen::Quaterniond moved = Eigen::Quaterniond(exp_rotation(turn)) * q;
    EXPECT_TRUE(turn_freely(moved, L + dL, inertia + moments, kTime));
    return moved;
  };
  const Vec3<double> none = Vec3<double>::Zero();
  const Eigen::Quaterniond middle = end(none, none, none);
  // Of the rotation vector from the middle, by differences.
  const auto slope = [&](const auto& at) -> Vec3<double> {
    const auto turn = [&](double t) -> Vec3<double> {
      return 2 * (at(t * kSize) * middle.conjugate()).vec() *
             ((at(t * kSize) * middle.conjugate()).w() < 0 ? -1 : 1);
    };
    return (8 * (turn(1) - turn(-1)) - (turn(2) - turn(-2))) / (12 * kSize);
  };
  const TurnSlopes slopes = turn_slopes(q, L, inertia, kTime);
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> axis = Vec3<double>::Unit(k);
    const Vec3<double> by_turn = slope([&](double t) { return end(t * axis, none, none); }),
                       by_momentum = slope([&](double t) { return end(none, t * axis, none); }),
                       by_moments = slope([&](double t) { return end(none, none, 1e-3 * t * axis); });
    EXPECT_LT((slopes.by_turn.col(k) - by_turn).norm(), 1e-7 * slopes.by_turn.norm());
    EXPECT_LT((slopes.by_momentum.col(k) - by_momentum).norm(), 1e-7 * slopes.by_momentum.norm());
    EXPECT_LT((1e-3 * slopes.by_moments.col(k) - by_moments).norm(), 1e-7 * 1e-3 * slopes.by_moments.norm());
  }
}

TEST(FreeMotion, SaysWhereATurnHasTooManyParts) {
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  EXPECT_TRUE(turn_freely(q, {1, 1, 1}, {1e-3, 2e-3, 2.5e-3}, 1));
  EXPECT_FALSE(turn_freely(q, {1, 1, 1}, {1e-3, 2e-3, 2.5e-3}, 100));
}

// About a principal axis the turn's tangent is exact to second order: halving the step quarters the error.
TEST(FreeMotion, TurnsAtTheRightRate) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const double time = 0.1 / (1 << k);
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    for (int i = 0; i < 10 << k; ++i) turn_freely(q, {0, 0, 2.5}, {1, 2, 2.5}, time);
    error[k] = std::abs(2 * std::atan2(q.z(), q.w()) - 1.0);
  }
  EXPECT_LT(error[0], 1e-3);
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);
}

}  // namespace
