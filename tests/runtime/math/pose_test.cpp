#include "runtime/math/pose.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"

namespace {

using abut::Mat3;
using abut::Pose;
using abut::Random;
using abut::Vec3;
using abut::Vec6;

Vec6<double> random_twist(Random& random, double scale) {
  Vec6<double> xi;
  for (int i = 0; i < 6; ++i) xi[i] = scale * random.normal();
  return xi;
}

// exp(xi) is the matrix exponential of the 4 x 4 twist matrix: here by its power series in extended
// precision.
Eigen::Matrix<long double, 4, 4> exp_series(const Vec6<double>& xi) {
  Eigen::Matrix<long double, 4, 4> X = Eigen::Matrix<long double, 4, 4>::Zero();
  X.topLeftCorner<3, 3>() = abut::skew<double>(xi.head<3>()).cast<long double>();
  X.topRightCorner<3, 1>() = xi.tail<3>().cast<long double>();
  Eigen::Matrix<long double, 4, 4> sum = Eigen::Matrix<long double, 4, 4>::Identity(), term = sum;
  for (int k = 1; k < 80; ++k) {
    term = (term * X / k).eval();
    sum += term;
  }
  return sum;
}

TEST(Pose, ExpMatchesThePowerSeriesAtEveryScale) {
  Random random(1);
  for (const double scale : {1e-12, 1e-6, 1e-4, 3e-4, 1e-3, 1e-2, 1.0, 3.0}) {
    for (int i = 0; i < 200; ++i) {
      const Vec6<double> xi = random_twist(random, scale);
      const Pose<double> X = abut::exp(xi);
      const auto expected = exp_series(xi);
      const double size = 1 + xi.norm();
      EXPECT_LT((X.R - expected.topLeftCorner<3, 3>().cast<double>()).cwiseAbs().maxCoeff(), 4e-15 * size);
      EXPECT_LT((X.p - expected.topRightCorner<3, 1>().cast<double>()).cwiseAbs().maxCoeff(),
                4e-15 * size * xi.norm());
      EXPECT_LT(abut::rotation_error(X.R), 4e-15);
    }
  }
}

TEST(Pose, ComposesAndInverts) {
  Random random(2);
  const Pose<double> X_AB = abut::exp(random_twist(random, 1)), X_BC = abut::exp(random_twist(random, 1));
  const Vec3<double> p_C(0.3, -0.2, 0.7);
  EXPECT_LT(((X_AB * X_BC) * p_C - X_AB * (X_BC * p_C)).norm(), 1e-15);
  EXPECT_LT((X_AB.inverse() * (X_AB * p_C) - p_C).norm(), 1e-15);
}

TEST(Pose, RotationErrorRejectsReflectionsAndNaN) {
  Mat3<double> reflection = Mat3<double>::Identity();
  reflection(2, 2) = -1;
  EXPECT_TRUE(std::isinf(abut::rotation_error(reflection)));
  Mat3<double> broken = Mat3<double>::Identity();
  broken(0, 1) = std::nan("");
  EXPECT_TRUE(std::isinf(abut::rotation_error(broken)));
}

TEST(Rotation, ShortestTurnsOneDirectionIntoAnother) {
  const Vec3<double> a = Vec3<double>(0.3, -0.4, 0.8).normalized(), across = a.unitOrthogonal();
  for (const double angle : {0.0, 1e-12, 1e-3, 1.0, 3.0, 3.14159, 3.14159265358, 3.141592653589793}) {
    const Vec3<double> b = std::cos(angle) * a + std::sin(angle) * across;
    const Mat3<double> R = abut::shortest_rotation<double>(a, b);
    EXPECT_LT(abut::rotation_error(R), 1e-14) << angle;
    EXPECT_LT((R * a - b).norm(), 3e-8) << angle;
    EXPECT_NEAR(R.trace(), 1 + 2 * std::cos(angle), 1e-7) << angle;
  }
}

}  // namespace
