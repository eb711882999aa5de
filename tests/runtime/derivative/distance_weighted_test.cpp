#include "runtime/derivative/distance_weighted.h"

#include <gtest/gtest.h>

#include "tests/contract/witness_equation.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using derivative::DistanceWeightedConfig;
using derivative::SurfacePoint;
using Long = long double;

struct Means {
  Vec3<Long> p, m;
};

// By the definition, in extended precision.
Means means(const std::vector<SurfacePoint>& samples, const Vec3<Long>& q,
            const DistanceWeightedConfig& config) {
  const Long count = static_cast<Long>(samples.size());
  std::vector<Long> rho;
  for (const SurfacePoint& y : samples) rho.push_back((y.point.cast<Long>() - q).norm());
  Long mean = 0, squares = 0, sum = 0;
  for (const Long x : rho) mean += x / count;
  for (const Long x : rho) squares += (x - mean) * (x - mean);
  const Long deviation = std::sqrt(squares / (count - 1));
  const Long t = config.noise > 0 ? std::sqrt(static_cast<Long>(config.noise) * deviation)
                                  : static_cast<Long>(config.eps) * deviation;
  Means result{Vec3<Long>::Zero(), Vec3<Long>::Zero()};
  for (std::size_t k = 0; k < rho.size(); ++k) {
    const Long w = std::exp(-rho[k] / t);
    sum += w;
    result.p += w * samples[k].point.cast<Long>();
    result.m += w * samples[k].normal.cast<Long>();
  }
  return {result.p / sum, result.m / sum};
}

TEST(DistanceWeighted, SlipIsTheDerivativeOfTheMeans) {
  Random random(1);
  for (const double size : {1e-3, 0.1, 50.0})
    for (const double noise : {0.0, 1.0, 1e-3})
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<SurfacePoint> samples(static_cast<std::size_t>(3 + trial));
        for (SurfacePoint& y : samples) {
          y.normal = Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
          y.point = size * y.normal;
        }
        const Vec3<double> q = size * Vec3<double>(random.normal(), random.normal(), 2);
        const DistanceWeightedConfig config{.noise = noise};
        const derivative::Slip slip = derivative::weighted_slip(samples, q, config);
        EXPECT_NEAR(slip.normal, static_cast<double>(means(samples, q.cast<Long>(), config).m.norm()), 1e-12);
        const Long h = 1e-6L * static_cast<Long>(size);
        for (int k = 0; k < 3; ++k) {
          const Vec3<Long> step = h * Vec3<Long>::Unit(k);
          const Means more = means(samples, q.cast<Long>() + step, config),
                      less = means(samples, q.cast<Long>() - step, config);
          const Vec3<double> F = ((more.p - less.p) / (2 * h)).cast<double>(),
                             N = ((more.m - less.m) / (2 * h)).cast<double>();
          EXPECT_LT((slip.F.col(k) - F).norm(), 1e-8 * (1 + F.norm())) << size << " " << noise;
          EXPECT_LT((slip.N.col(k) - N).norm(), 1e-8 * (1 / size + N.norm())) << size << " " << noise;
        }
      }
}

// A sphere and a point that are apart move as the exact derivative says.
TEST(DistanceWeighted, OfPrimitivesItIsExact) {
  const body::Body ball = test::body_of(body::Sphere<double>{0.05}),
                   other = test::body_of(body::Sphere<double>{0.02});
  const Pose<double> X_AB{Mat3<double>::Identity(), {0.03, 0.1, -0.02}};
  const auto weighted = derivative::witness_derivative({&ball, &other, X_AB}, "distance_weighted"),
             exact = derivative::witness_derivative({&ball, &other, X_AB}, "analytic");
  EXPECT_LT((weighted.derivative.dp1_A_dxi_B - exact.derivative.dp1_A_dxi_B).norm(), 1e-12);
  EXPECT_LT((weighted.derivative.dp2_A_dxi_B - exact.derivative.dp2_A_dxi_B).norm(), 1e-12);
  EXPECT_LT((weighted.derivative.dn_A_dxi_B - exact.derivative.dn_A_dxi_B).norm(), 1e-11);
}

// Reaches from none to far beyond the bodies, and samples from three to more than there are points to draw.
TEST(DistanceWeighted, AnyReachAndNumberOfSamplesIsAnswered) {
  asset::Asset round, plate;
  round.convex = {test::tessellated_ellipsoid(2, {0.1, 0.08, 0.05})};
  plate.convex = {test::box_hull({0.05, 0.04, 0.0005})};
  const body::Body a{body::Geometry(round)}, b{body::Geometry(plate)};
  Random random(2);
  for (const int samples : {3, 16, 2000})
    for (const double reach : {0.0, 1e-6, 0.01, 1.0, 1e9}) {
      const auto estimator = derivative::make_distance_weighted_estimator({.samples = samples});
      for (int k = 0; k < 20; ++k) {
        const Pose<double> X_AB{test::random_rotation(random), {0.12 * random.normal(), 0.05, 0.02}};
        for (const auto& r :
             {estimator->within({&a, &b, X_AB}, reach, reach), estimator->within({&b, &a, X_AB}, reach, 0)}) {
          EXPECT_NE(r.derivative.status, Status::kInvalidInput);
          EXPECT_LT(test::broken_witness_equation(r, 0.2), 1e-14) << samples << " " << reach;
        }
      }
    }
}

}  // namespace
