// The identities that docs/conventions.md states: frames of twists and wrenches, and the chain rule from the
// right perturbation to other parameters of a pose.
#include "runtime/math/adjoint.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"

namespace {

using namespace abut;
using Quaternion = Eigen::Matrix<double, 4, 1>;

Vec6<double> random6(Random& random) {
  Vec6<double> v;
  for (int i = 0; i < 6; ++i) v[i] = random.normal();
  return v;
}

// A smooth function of a pose, to differentiate: some point carried by it, squashed.
double value(const Pose<double>& X) {
  const Vec3<double> p = X * Vec3<double>(0.3, -0.7, 0.2);
  return std::sin(p.x()) + p.y() * p.z() + std::cos(2 * p.z());
}

// Central difference of f(step) at 0.
template <class F>
double slope(F&& f) {
  return (f(1e-5) - f(-1e-5)) / 2e-5;
}

Row6<double> right_derivative(const Pose<double>& X) {
  Row6<double> D;
  for (int k = 0; k < 6; ++k) {
    D[k] = slope([&](double t) { return value(X * exp<double>(t * Vec6<double>::Unit(k))); });
  }
  return D;
}

TEST(Adjoint, CarriesTwistsAndWrenches) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const Pose<double> X_AB = exp<double>(random6(random)), X_BC = exp<double>(random6(random));
    const Vec6<double> V = random6(random), F_B = random6(random);
    EXPECT_LT((adjoint(X_AB * X_BC) - adjoint(X_AB) * adjoint(X_BC)).norm(), 1e-12);
    // exp(Ad(X) xi) X = X exp(xi)
    const Pose<double> left = exp<double>(adjoint(X_AB) * V) * X_AB, right = X_AB * exp(V);
    EXPECT_LT((left.R - right.R).norm() + (left.p - right.p).norm(), 1e-12);
    // power is the same in every frame
    EXPECT_NEAR(shift_wrench(X_AB, F_B).dot(adjoint(X_AB) * V), F_B.dot(V), 1e-12);
    EXPECT_LT((shift_wrench(X_AB, F_B) - adjoint(X_AB.inverse()).transpose() * F_B).norm(), 1e-12);
    Mat6<double> difference;
    for (int k = 0; k < 6; ++k) {
      const Vec6<double> e = Vec6<double>::Unit(k);
      difference.col(k) = (adjoint(exp<double>(1e-6 * V)) - adjoint(exp<double>(-1e-6 * V))) * e / 2e-6;
    }
    EXPECT_LT((difference - adjoint_derivative(V)).norm(), 1e-8);
  }
}

TEST(Adjoint, RelativeTwistIsTheRateOfTheRelativePose) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const Pose<double> X_WA = exp<double>(random6(random)), X_WB = exp<double>(random6(random));
    const Vec6<double> V_A = random6(random), V_B = random6(random);
    const Pose<double> X_AB = X_WA.inverse() * X_WB;
    const auto at = [&](double t) {
      return (X_WA * exp<double>(t * V_A)).inverse() * (X_WB * exp<double>(t * V_B));
    };
    const Vec6<double> V_AB = relative_twist(X_AB, V_A, V_B);
    const auto along = [&](double t) { return X_AB * exp<double>(t * V_AB); };
    const double h = 1e-6;
    const Mat3<double> R_rate = (at(h).R - at(-h).R) / (2 * h),
                       R_expected = (along(h).R - along(-h).R) / (2 * h);
    const Vec3<double> p_rate = (at(h).p - at(-h).p) / (2 * h),
                       p_expected = (along(h).p - along(-h).p) / (2 * h);
    EXPECT_LT((R_rate - R_expected).norm() + (p_rate - p_expected).norm(), 1e-8);
    // with both bodies' own twists held, it changes with the pose by -ad(Ad(X_BA) V_A) xi
    const Vec6<double> xi = random6(random), a = adjoint(X_AB.inverse()) * V_A;
    const Vec6<double> change = (relative_twist<double>(X_AB * exp<double>(h * xi), V_A, V_B) -
                                 relative_twist<double>(X_AB * exp<double>(-h * xi), V_A, V_B)) /
                                (2 * h);
    EXPECT_LT((change + adjoint_derivative(a) * xi).norm(), 1e-7);
  }
}

// The rows of the table "Chain rule to other parameters".
TEST(ChainRule, LeftPerturbationAndSplitRotationAndTranslation) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X = exp<double>(random6(random));
    const Row6<double> D = right_derivative(X);
    const Row6<double> left = D * adjoint(X.inverse());
    for (int k = 0; k < 6; ++k) {
      const Vec6<double> e = Vec6<double>::Unit(k);
      EXPECT_NEAR(left[k], slope([&](double t) { return value(exp<double>(t * e) * X); }), 1e-8);
      const Vec3<double> turn = e.head<3>(), shift = e.tail<3>();
      const double split = slope([&](double t) {
        return value(Pose<double>{exp_rotation<double>(t * turn) * X.R, X.p + t * shift});
      });
      const double expected =
          D.head<3>().dot(X.R.transpose() * turn) + D.tail<3>().dot(X.R.transpose() * shift);
      EXPECT_NEAR(expected, split, 1e-8);
    }
  }
}

TEST(ChainRule, QuaternionAndTranslation) {
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    Quaternion q(random.normal(), random.normal(), random.normal(), random.normal());
    q *= 1.3 / q.norm();  // not a unit quaternion: normalised on use
    const auto pose = [](const Quaternion& r) {
      return Pose<double>{rotation_from_quaternion(r[0], r[1], r[2], r[3]), {0.1, -0.4, 0.5}};
    };
    const Row6<double> D = right_derivative(pose(q));
    const Quaternion u = q.normalized();
    Eigen::Matrix<double, 3, 4> G;
    G << -u[1], u[0], u[3], -u[2], -u[2], -u[3], u[0], u[1], -u[3], u[2], -u[1], u[0];
    const Eigen::Matrix<double, 4, 4> normalise =
        (Eigen::Matrix<double, 4, 4>::Identity() - u * u.transpose()) / q.norm();
    const Eigen::Matrix<double, 1, 4> expected = D.head<3>() * 2 * G * normalise;
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(expected[k], slope([&](double t) { return value(pose(q + t * Quaternion::Unit(k))); }),
                  1e-8);
    }
  }
}

TEST(ChainRule, BothBodiesInTheWorld) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X_WA = exp<double>(random6(random)), X_WB = exp<double>(random6(random));
    const Pose<double> X_AB = X_WA.inverse() * X_WB;
    const Row6<double> D = right_derivative(X_AB), D_A = -D * adjoint(X_AB.inverse());
    for (int k = 0; k < 6; ++k) {
      const Vec6<double> e = Vec6<double>::Unit(k);
      EXPECT_NEAR(D_A[k],
                  slope([&](double t) { return value((X_WA * exp<double>(t * e)).inverse() * X_WB); }), 1e-8);
      EXPECT_NEAR(D[k], slope([&](double t) { return value(X_WA.inverse() * X_WB * exp<double>(t * e)); }),
                  1e-8);
    }
  }
}

}  // namespace
