#include "runtime/derivative/estimator.h"

#include <gtest/gtest.h>

#include "tests/support/hulls.h"

namespace {

using namespace abut;
using derivative::Config;

TEST(Estimators, UnknownNamesListTheKnownOnes) {
  try {
    derivative::make_estimator("oracle");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("gumbel, gaussian, zeroth_order, finite_difference, analytic"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(derivative::BatchEstimator("oracle"), InvalidInput);
}

TEST(Estimators, SettingsOutOfRangeAreRefused) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const auto& row : derivative::estimators()) {
    EXPECT_NO_THROW(derivative::make_estimator(row.name));
    for (const double bad : {0.0, -1.0, nan, infinity}) {
      for (double* (*field)(Config&) :
           {+[](Config& c) { return &c.gumbel.eps; }, +[](Config& c) { return &c.finite_difference.angle; },
            +[](Config& c) { return &c.finite_difference.length; },
            +[](Config& c) { return &c.gaussian.eps; }, +[](Config& c) { return &c.zeroth_order.angle; },
            +[](Config& c) { return &c.zeroth_order.length; }, +[](Config& c) { return &c.clamp.relative; },
            +[](Config& c) { return &c.clamp.absolute; }}) {
        Config config;
        *field(config) = bad;
        EXPECT_THROW(derivative::make_estimator(row.name, config), InvalidInput);
      }
    }
    for (const int few : {0, -3, 2}) {
      for (int* (*field)(Config&) :
           {+[](Config& c) { return &c.gumbel.rings; }, +[](Config& c) { return &c.gaussian.samples; },
            +[](Config& c) { return &c.zeroth_order.samples; }}) {
        Config config;
        if (few == 2 && field(config) == &config.gumbel.rings) continue;  // two rings are fine
        *field(config) = few;
        EXPECT_THROW(derivative::make_estimator(row.name, config), InvalidInput);
      }
    }
  }
}

// The three ways to ask give the same answer.
TEST(Estimators, OneShotSolverAndBatchAgree) {
  const asset::ConvexPiece A = test::tessellated_ellipsoid(2, {0.1, 0.08, 0.05}),
                           B = test::box_hull({0.05, 0.04, 0.03});
  asset::AssetView a, b;
  a.convex = asset::view(A);
  b.convex = asset::view(B);
  Random random(1);
  std::vector<asset::PosedPair> pairs;
  for (int i = 0; i < 20; ++i) {
    pairs.push_back(
        {&a, &b, {test::random_rotation(random), {random.normal() * 0.1, random.normal() * 0.1, 0.05}}});
  }
  for (const auto& row : derivative::estimators()) {
    std::vector<derivative::PairDerivative> results(pairs.size());
    derivative::BatchEstimator(row.name)(pairs, results);
    const auto solver = derivative::make_estimator(row.name);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto once = derivative::witness_derivative(pairs[i], row.name), again = (*solver)(pairs[i]);
      EXPECT_EQ(once.derivative.dp1_A_dxi_B, again.derivative.dp1_A_dxi_B);
      EXPECT_EQ(once.derivative.dp1_A_dxi_B, results[i].derivative.dp1_A_dxi_B);
      EXPECT_EQ(once.witness.distance, results[i].witness.distance);
    }
  }
}

// However far the bodies are apart and however small the steps: the distance's gradient is the exact one, and
// dp2 - dp1 = dd n + d dn. Beside a turn's 1000 roundings of the points, the answer is said to be none.
TEST(Estimators, FarPosesHaveTheDistancesGradient) {
  const asset::ConvexPiece A = test::tessellated_ellipsoid(2, {0.1, 0.08, 0.05}),
                           B = test::tessellated_ellipsoid(1, {0.06, 0.04, 0.05});
  asset::AssetView a, b;
  a.convex = asset::view(A);
  b.convex = asset::view(B);
  Config tiny;
  tiny.finite_difference = {1e-12, 1e-12};
  tiny.zeroth_order.angle = tiny.zeroth_order.length = 1e-12;
  Random random(7);
  for (const double far : {0.3, 1.0, 1e3, 1e6, 1e9, 1e12, 1e20, 1e100})
    for (const auto& row : derivative::estimators())
      for (const Config& config : {Config(), tiny}) {
        const Vec3<double> way = test::random_rotation(random).col(0);
        const Pose<double> X_AB{test::random_rotation(random), far * way};
        const auto [w, d] = derivative::witness_derivative({&a, &b, X_AB}, row.name, config);
        const Vec3<double> n_B = X_AB.R.transpose() * w.n;
        EXPECT_LT((d.dd_dxi_B.tail<3>().transpose() - n_B).norm(), 1e-12) << row.name << " " << far;
        const Mat36<double> missing =
            d.dp2_A_dxi_B - d.dp1_A_dxi_B - w.n * d.dd_dxi_B - w.distance * d.dn_A_dxi_B;
        const double scale = d.dp1_A_dxi_B.stableNorm() + d.dp2_A_dxi_B.stableNorm() + far;
        EXPECT_LT(missing.stableNorm(), 1e-12 * scale) << row.name << " " << far;
        EXPECT_NE(d.status, Status::kInvalidInput) << row.name << " " << far;
      }
}

// Shifts grow with the offset, so that they are not lost in the rounding of far points: a vertex facing a
// vertex moves with its body, and the normal turns after it.
TEST(Estimators, FarShiftsAreSeen) {
  const asset::ConvexPiece A = test::tessellated_ellipsoid(1, {0.1, 0.08, 0.05}),
                           B = test::tessellated_ellipsoid(1, {0.06, 0.04, 0.05});
  asset::AssetView a, b;
  a.convex = asset::view(A);
  b.convex = asset::view(B);
  Random random(8);
  for (const double far : {1e3, 1e6, 1e9, 1e12, 1e20, 1e100}) {
    const Pose<double> X_AB{test::random_rotation(random), far * test::random_rotation(random).col(0)};
    const auto [w, d] = derivative::witness_derivative({&a, &b, X_AB}, "finite_difference");
    EXPECT_LT((d.dp2_A_dxi_B.rightCols<3>() - X_AB.R).norm(), 1e-6) << far;
    EXPECT_LT(d.dp1_A_dxi_B.rightCols<3>().norm(), 1e-6) << far;
    const Mat3<double> turn = X_AB.R - w.n * (w.n.transpose() * X_AB.R).eval();
    EXPECT_LT((w.distance * d.dn_A_dxi_B.rightCols<3>() - turn).norm(), 1e-6) << far;
    EXPECT_EQ(d.status == Status::kNotConverged, far > 1e6) << far;
  }
}

// On a box over a box, both rows know the distance's gradient: the normal, and the moment arm of the point.
TEST(Estimators, VertexOverFace) {
  const asset::ConvexPiece A = test::box_hull({0.5, 0.5, 0.5}), B = test::box_hull({0.1, 0.1, 0.1});
  asset::AssetView a, b;
  a.convex = asset::view(A);
  b.convex = asset::view(B);
  // B stands on a corner, 1 mm above the top of A
  const Vec3<double> diagonal = Vec3<double>(1, 1, 1).normalized();
  const Mat3<double> R_AB = shortest_rotation<double>(diagonal, Vec3<double>::UnitZ());
  const double reach = 0.1 * std::sqrt(3.0);
  const asset::PosedPair pair{&a, &b, {R_AB, {0.05, -0.02, 0.5 + reach + 0.001}}};
  for (const auto& row : derivative::estimators()) {
    const auto r = derivative::witness_derivative(pair, row.name);
    EXPECT_NEAR(r.witness.distance, 0.001, 1e-14);
    Row6<double> expected;
    const Vec3<double> n_B = R_AB.transpose() * Vec3<double>::UnitZ(), corner_B(-0.1, -0.1, -0.1);
    expected << corner_B.cross(n_B).transpose(), n_B.transpose();
    EXPECT_LT((r.derivative.dd_dxi_B - expected).cwiseAbs().maxCoeff(), 1e-8) << row.name;
  }
}

}  // namespace
