// Bodies that turn freely.
#include "runtime/dynamics/step/free_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/core/random.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

TEST(FreeMotion, KeepsEnergyAndMomentumAtAnyStep) {
  Random random(5);
  for (const double time : {1e-3, 0.05, 0.5}) {
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    const Vec3<double> inertia(1, 2, 2.5), L(random.normal(), random.normal(), random.normal());
    const auto energy = [&] {
      const Vec3<double> P = q.conjugate() * L;
      return P.dot(inertia.cwiseInverse().cwiseProduct(P)) / 2;
    };
    const double start = energy();
    for (int k = 0; k < 2000; ++k) turn_freely(q, L, inertia, time);
    EXPECT_NEAR(energy(), start, 1e-12 * start);
  }
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
