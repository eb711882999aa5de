#include "runtime/derivative/gaussian.h"

#include <gtest/gtest.h>

#include "runtime/derivative/smooth.h"
#include "tests/runtime/derivative/ellipsoid_pair.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;

TEST(WhitenedSamples, HaveNoMeanAndUnitCovarianceAndDependOnTheirKeyAlone) {
  const auto expect_white = [](const std::vector<derivative::Vec2<double>>& z) {
    const double count = static_cast<double>(z.size());
    derivative::Vec2<double> mean = derivative::Vec2<double>::Zero();
    derivative::Mat2<double> covariance = derivative::Mat2<double>::Zero();
    for (const auto& s : z) {
      mean += s / count;
      covariance += s * s.transpose() / count;
    }
    EXPECT_LT(mean.norm(), 1e-12);
    EXPECT_LT((covariance - derivative::Mat2<double>::Identity()).norm(), 1e-12);
  };
  for (const int count : {3, 20, 51}) {
    const auto drawn = derivative::whitened_samples<2>(1, 7, count),
               even = derivative::even_samples(1, count);
    EXPECT_EQ(drawn, derivative::whitened_samples<2>(1, 7, count));
    EXPECT_NE(drawn, derivative::whitened_samples<2>(1, 8, count));
    EXPECT_NE(drawn, derivative::whitened_samples<2>(2, 7, count));
    EXPECT_EQ(even, derivative::even_samples(1, count));
    EXPECT_NE(even, derivative::even_samples(2, count));
    expect_white(drawn);
    expect_white(even);
  }
}

// A polytope's support point is a step function, and samples are few: the estimate stays positive
// semidefinite, as the curvature of every convex set is.
TEST(GaussianDerivative, CurvatureIsPositiveSemidefinite) {
  Random random(4);
  const asset::Asset needle =
      test::convex_asset(test::tessellated_ellipsoid(2, {0.2, 0.01, 0.005}, test::random_rotation(random)));
  const asset::ConvexView hull = asset::view(needle.convex.front());
  for (int i = 0; i < 2000; ++i) {
    const Vec3<double> n = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
    const auto samples = derivative::even_samples(static_cast<std::uint64_t>(i), 20);
    const auto H =
        derivative::gaussian_curvature<double>(hull, n, derivative::tangent_basis(n), 0.1, samples);
    derivative::Vec2<double> radii;
    derivative::eigenvectors(H.H, radii);
    EXPECT_GE(radii.minCoeff(), -1e-15 * radii.maxCoeff());
  }
}

// On smooth shapes: M = 20 samples at one setting, against the smooth derivative, over random pairs of
// ellipsoids. Control variate alone is 28 % off here.
TEST(GaussianDerivative, IsWithinTenPercentOnEllipsoids) {
  using Ellipsoid = witness::Ellipsoid<double>;
  Random random(2);
  for (const double eps : {0.05, 0.2}) {
    std::vector<double> errors, plain;
    for (int i = 0; i < 300; ++i) {
      test::EllipsoidPair<double> pair;
      for (int k = 0; k < 3; ++k) pair.a[k] = random.uniform(0.3, 1), pair.b[k] = random.uniform(0.3, 1);
      Pose<double> X_AB{test::random_rotation(random), {random.normal(), random.normal(), random.normal()}};
      X_AB.p *= 3 / X_AB.p.norm();
      const auto apart = pair.solve(X_AB, X_AB.p);
      X_AB.p += (random.uniform(-0.1, 0.3) - apart.distance) * apart.n;
      const auto w = pair.solve(X_AB, apart.n);
      const Ellipsoid A{pair.a}, B{pair.b};
      const auto expected = derivative::smooth_derivative<double>(A, B, X_AB, w);
      const auto T = derivative::tangent_basis(w.n);
      const Vec3<double> m = -(X_AB.R.transpose() * w.n);
      const derivative::Mat32<double> T_B = X_AB.R.transpose() * T;
      const auto error = [&](const std::vector<derivative::Vec2<double>>& z) {
        const auto found = derivative::differentiate<double>(
            w, X_AB, T, derivative::gaussian_curvature<double>(A, w.n, T, eps, z),
            derivative::gaussian_curvature<double>(B, m, T_B, eps, z), 2.0);
        Eigen::Matrix<double, 9, 6> x, y;
        x << found.dp1_A_dxi_B, found.dp2_A_dxi_B, found.dn_A_dxi_B;
        y << expected.dp1_A_dxi_B, expected.dp2_A_dxi_B, expected.dn_A_dxi_B;
        return (x - y).norm() / y.norm();
      };
      errors.push_back(error(derivative::even_samples(static_cast<std::uint64_t>(i), 20)));
      std::vector<derivative::Vec2<double>> raw(20);
      Random draw(3, i);
      for (auto& z : raw) z = {draw.normal(), draw.normal()};
      plain.push_back(error(raw));
    }
    std::sort(errors.begin(), errors.end());
    std::sort(plain.begin(), plain.end());
    std::printf(
        "eps %.2f rad, M = 20: median %.1f %%, 95th percentile %.1f %%; control variate alone %.0f %%\n", eps,
        100 * errors[150], 100 * errors[285], 100 * plain[150]);
    EXPECT_LT(errors[150], 0.10);
    if (eps < 0.1) {
      EXPECT_LT(errors[285], 0.10);
    }
  }
}

}  // namespace
