// The estimators in the forms that are printed in [Montaut2022], against those written out.
#include <gtest/gtest.h>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/pair_derivative.h"
#include "runtime/derivative/samples.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using derivative::Curvature;

class PublishedForms : public testing::Test {
 protected:
  const body::Body a = test::hull_body(test::tessellated_ellipsoid(1, {0.1, 0.08, 0.05})),
                   b = test::hull_body(test::tessellated_ellipsoid(1, {0.06, 0.04, 0.05}));
  const asset::ConvexView &A = a.geometry.convex(), &B = b.geometry.convex();
  const double size = derivative::hull_size(A) + derivative::hull_size(B);

  std::vector<body::Pair> pairs() const {
    Random random(3);
    std::vector<body::Pair> list;
    for (int i = 0; i < 10; ++i)
      list.push_back({&a, &b, {test::random_rotation(random), 0.17 * test::random_rotation(random).col(0)}});
    return list;
  }

  // Of both bodies' curvature(hull, n) in their own frames.
  template <class OfHull>
  void expect_first_order(const body::Pair& pair, std::string_view name, const SettingValues& settings,
                          OfHull&& curvature) const {
    const auto [w, d] = derivative::witness_derivative(pair, name, settings);
    const Vec3<double> m_B = -(pair.X_AB.R.transpose() * w.n);
    const auto expected =
        derivative::differentiate<double>(w, pair.X_AB, curvature(A, w.n), curvature(B, m_B), size);
    EXPECT_LT((d.dp1_A_dxi_B - expected.dp1_A_dxi_B).norm(), 1e-9 * (1 + expected.dp1_A_dxi_B.norm()));
    EXPECT_LT((d.dp2_A_dxi_B - expected.dp2_A_dxi_B).norm(), 1e-9 * (1 + expected.dp2_A_dxi_B.norm()));
    EXPECT_LT((d.dn_A_dxi_B - expected.dn_A_dxi_B).norm(), 1e-9 * (1 + expected.dn_A_dxi_B.norm()));
  }
};

// Eqs. 27 and 28, over all vertices: as many rings as there can be. The temperature of products with x*, m^2,
// is noise / |d| of those with n, m.
TEST_F(PublishedForms, GumbelIsTheSoftMaximumWithFixedNoiseOnTheSeparation) {
  constexpr double kNoise = 1e-4;  // m^2
  for (const body::Pair& pair : pairs()) {
    const double t = kNoise / std::abs(derivative::witness_derivative(pair).witness.distance);
    expect_first_order(pair, "gumbel", {{"noise", kNoise}, {"rings", 20}},
                       [&](const asset::ConvexView& hull, const Vec3<double>& n) -> Curvature<double> {
                         const double top = witness::support<double>(hull, n).point.dot(n);
                         double weight = 0;
                         Vec3<double> mean = Vec3<double>::Zero();
                         Mat3<double> square = Mat3<double>::Zero();
                         for (std::int32_t i = 0; i < hull.vertex_count; ++i) {
                           const Vec3<double> v = witness::core_vertex<double>(hull, i);
                           const double weight_i = std::exp((v.dot(n) - top) / t);
                           weight += weight_i;
                           mean += weight_i * v;
                           square += weight_i * v * v.transpose();
                         }
                         const Mat3<double> P = Mat3<double>::Identity() - n * n.transpose();
                         mean /= weight;
                         return {P * (square / weight - mean * mean.transpose()) * P / t, 0, {}};
                       });
  }
}

// Eq. 26, with drawn samples in space.
TEST_F(PublishedForms, GaussianAsksDirectionsWithFixedNoiseOnTheSeparation) {
  constexpr double kNoise = 1e-3;  // m
  constexpr int kSamples = 30;
  const auto samples = derivative::normal_samples<3>(7, 0, kSamples);
  for (const body::Pair& pair : pairs()) {
    const double turn = kNoise / std::abs(derivative::witness_derivative(pair).witness.distance);
    expect_first_order(pair, "gaussian", {{"noise", kNoise}, {"samples", kSamples}, {"seed", 7}},
                       [&](const asset::ConvexView& hull, const Vec3<double>& n) -> Curvature<double> {
                         Mat3<double> sum = Mat3<double>::Zero();
                         for (const Vec3<double>& z : samples)
                           sum += (witness::support<double>(hull, Vec3<double>(n + turn * z)).point -
                                   witness::support<double>(hull, n).point) *
                                  z.transpose() / (kSamples * turn);
                         const Mat3<double> P = Mat3<double>::Identity() - n * n.transpose();
                         return {P * (sum + sum.transpose()) * P / 2, 0, {}};
                       });
  }
}

// Bodies twice as large turn the normal alike where the noise has grown as its unit does.
TEST_F(PublishedForms, NoiseHasTheUnitThatItsRowSays) {
  const body::Body a2 = test::hull_body(test::tessellated_ellipsoid(1, {0.2, 0.16, 0.1})),
                   b2 = test::hull_body(test::tessellated_ellipsoid(1, {0.12, 0.08, 0.1}));
  for (const char* name : {"gumbel", "gaussian"}) {
    double factor = 0;
    for (const SettingInfo& setting : derivative::find_estimator(name).settings())
      if (setting.name == "noise") factor = setting.unit == "m^2" ? 4 : setting.unit == "m" ? 2 : 0;
    const auto turn = [&](const body::Pair& pair, double noise) -> Mat3<double> {
      return derivative::witness_derivative(pair, name, {{"noise", noise}})
          .derivative.dn_A_dxi_B.leftCols<3>();
    };
    for (const body::Pair& pair : pairs()) {
      const Mat3<double> expected = turn(pair, 1e-4),
                         found = turn({&a2, &b2, {pair.X_AB.R, 2 * pair.X_AB.p}}, factor * 1e-4);
      EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm()) << name;
    }
  }
}

// Eq. 6: without control variate, and with one.
TEST_F(PublishedForms, ZerothOrderIsTheMeanOverDrawnPoses) {
  constexpr double kAngle = 0.01, kLength = 0.02;  // rad, m
  constexpr int kSamples = 12;
  const auto samples = derivative::normal_samples<6>(5, 0, kSamples);
  for (const body::Pair& pair : pairs())
    for (const bool control : {false, true}) {
      const auto [w, d] = derivative::witness_derivative(pair, "zeroth_order",
                                                         {{"samples", kSamples},
                                                          {"angle", kAngle},
                                                          {"length", kLength / size},
                                                          {"form", control ? "control_variate" : "published"},
                                                          {"seed", 5}});
      Mat36<double> dp1 = Mat36<double>::Zero(), dp2 = dp1;
      for (const Vec6<double>& z : samples) {
        Vec6<double> xi;
        xi << kAngle * z.head<3>(), kLength * z.tail<3>();
        const auto at = witness::separation({&a, &b, pair.X_AB * exp<double>(xi)});
        Row6<double> slope;
        slope << z.head<3>().transpose() / kAngle, z.tail<3>().transpose() / kLength;
        dp1 += (at.p1 - (control ? w.p1 : Vec3<double>(Vec3<double>::Zero()))) * slope / kSamples;
        dp2 += (at.p2 - (control ? w.p2 : Vec3<double>(Vec3<double>::Zero()))) * slope / kSamples;
      }
      EXPECT_LT((d.dp1_A_dxi_B - dp1).norm(), 1e-9 * dp1.norm()) << control;
      EXPECT_LT((d.dp2_A_dxi_B - dp2).norm(), 1e-9 * dp2.norm()) << control;
    }
}

}  // namespace
