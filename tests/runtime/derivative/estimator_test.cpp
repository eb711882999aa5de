#include "runtime/derivative/estimator.h"

#include <gtest/gtest.h>

#include <numbers>

#include "runtime/derivative/finite_difference.h"
#include "runtime/derivative/gumbel.h"
#include "runtime/witness/pair_query.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;

body::Body hull_body(const asset::ConvexPiece& piece) {
  asset::Asset asset;
  asset.convex = {piece};
  return {body::Geometry(std::move(asset))};
}

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
    EXPECT_THROW(derivative::make_estimator(row.name, {{"colour", 1}}), InvalidInput);
    for (const SettingInfo& setting : row.settings()) {
      for (const double bad : {-1.0, nan, infinity})
        EXPECT_THROW(derivative::make_estimator(row.name, {{setting.name, bad}}), InvalidInput)
            << row.name << " " << setting.name;
      const bool zero_is_fine = setting.name == "noise" || setting.name == "seed";
      if (zero_is_fine)
        EXPECT_NO_THROW(derivative::make_estimator(row.name, {{setting.name, 0}})) << row.name;
      else
        EXPECT_THROW(derivative::make_estimator(row.name, {{setting.name, 0}}), InvalidInput)
            << row.name << " " << setting.name;
      if (setting.name != "samples") continue;
      EXPECT_THROW(derivative::make_estimator(row.name, {{setting.name, 2}}), InvalidInput) << row.name;
    }
  }
  derivative::GumbelEstimatorConfig config;
  config.curvature.rings = 0;
  EXPECT_THROW(derivative::make_gumbel_estimator(config), InvalidInput);
}

// The three ways to ask give the same answer.
TEST(Estimators, OneShotSolverAndBatchAgree) {
  const asset::ConvexPiece A = test::tessellated_ellipsoid(2, {0.1, 0.08, 0.05}),
                           B = test::box_hull({0.05, 0.04, 0.03});
  const body::Body a = hull_body(A), b = hull_body(B);
  Random random(1);
  std::vector<body::Pair> pairs;
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
  const body::Body a = hull_body(A), b = hull_body(B);
  Random random(7);
  for (const double far : {0.3, 1.0, 1e3, 1e6, 1e9, 1e12, 1e20, 1e100})
    for (const auto& row : derivative::estimators())
      for (const bool tiny : {false, true}) {
        SettingValues settings;
        for (const SettingInfo& setting : row.settings())
          if (tiny && (setting.name == "angle" || setting.name == "length"))
            settings.push_back({setting.name, 1e-12});
        const Vec3<double> way = test::random_rotation(random).col(0);
        const Pose<double> X_AB{test::random_rotation(random), far * way};
        const auto [w, d] = derivative::witness_derivative({&a, &b, X_AB}, row.name, settings);
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
  const body::Body a = hull_body(A), b = hull_body(B);
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

// Of primitives the rows that go through curvature know it: the derivative is that of the shapes, and one
// and the same.
TEST(Estimators, OfPrimitivesTheDerivativeIsExact) {
  const body::Primitive shapes[] = {body::Sphere<double>{0.05}, body::Ellipsoid<double>{{0.06, 0.05, 0.03}},
                                    body::Cylinder<double>{0.05, 0.04}, body::Box<double>{{0.05, 0.04, 0.03}},
                                    body::HalfSpace<double>{}};
  Random random(9);
  int near = 0, all = 0;
  for (const body::Primitive& of_A : shapes)
    for (const body::Primitive& of_B : shapes) {
      const body::Body a = test::body_of(of_A), b = test::body_of(of_B);
      if (a.geometry.half_space() && b.geometry.half_space()) continue;
      for (int i = 0; i < 10; ++i) {
        const Pose<double> X_AB{test::random_rotation(random), 0.15 * test::random_rotation(random).col(0)};
        const auto query = [&](const Pose<double>& X) { return witness::separation({&a, &b, X}); };
        const auto [w, d] = derivative::witness_derivative({&a, &b, X_AB});
        for (const char* other : {"gaussian", "analytic"}) {
          const auto same = derivative::witness_derivative({&a, &b, X_AB}, other).derivative;
          EXPECT_EQ(d.dp1_A_dxi_B, same.dp1_A_dxi_B) << other;
          EXPECT_EQ(d.dp2_A_dxi_B, same.dp2_A_dxi_B) << other;
          EXPECT_EQ(d.dn_A_dxi_B, same.dn_A_dxi_B) << other;
        }
        const auto expected = derivative::central_differences<double>(w, X_AB, 1e-6, 1e-7, query);
        const auto close = [&](const Mat36<double>& x, const Mat36<double>& y, double unit) {
          return (x - y).cwiseAbs().maxCoeff() < 1e-4 * std::max(unit, y.cwiseAbs().maxCoeff());
        };
        near += close(d.dp1_A_dxi_B, expected.dp1_A_dxi_B, 1) &&
                close(d.dp2_A_dxi_B, expected.dp2_A_dxi_B, 1) && close(d.dn_A_dxi_B, expected.dn_A_dxi_B, 1);
        ++all;
      }
    }
  EXPECT_GT(near, 0.95 * all) << "of " << all;
}

// The normal beside a half-space is fixed to it, however flat the partner is, and the point of a corner or of
// a disc is fixed to the partner. Rounding, which depends on the place, does not decide what is flat.
TEST(Estimators, HalfSpacesHoldTheNormal) {
  struct Lying {
    body::Primitive shape;
    Mat3<double> R;
    double height;  // m
    bool round;     // whether the lowest point moves along the partner as that turns
    bool kink;      // whether it lies within a flat
  };
  const Mat3<double> upright = Mat3<double>::Identity(),
                     lying = exp_rotation<double>({std::numbers::pi / 2, 0, 0});
  const Lying cases[] = {{body::Box<double>{{0.05, 0.03, 0.02}}, upright, 0.02, false, false},
                         {body::Capsule<double>{0.05, 0.03}, lying, 0.03, true, false},
                         {body::Cylinder<double>{0.06, 0.03}, lying, 0.03, true, false},
                         {body::Cylinder<double>{0.06, 0.03}, upright, 0.06, false, true},
                         {body::Cone<double>{0.06, 0.03}, upright, 0.06, false, true}};
  const body::Body plane = test::body_of(body::Primitive(body::HalfSpace<double>{}));
  for (const Lying& of : cases)
    for (int i = 0; i < 300; ++i) {
      Random random(8, i);
      const double gap = i % 3 == 0 ? 0 : random.uniform(-0.005, 0.1), far = std::pow(10.0, i % 5 - 2);
      const body::Body body = test::body_of(of.shape);
      const Pose<double> X{of.R, {far * random.uniform(-1, 1), far * random.uniform(-1, 1), of.height + gap}};
      {
        const auto [w, d] = derivative::witness_derivative({&plane, &body, X});
        EXPECT_EQ(d.status == Status::kClamped, of.kink) << i;
        EXPECT_LT(d.dn_A_dxi_B.norm(), 1e-12) << i;
        Mat36<double> dp2;
        dp2 << -X.R * skew<double>(X.R.transpose() * (w.p2 - X.p)), X.R;
        if (!of.round) {
          EXPECT_LT((d.dp2_A_dxi_B - dp2).norm(), 1e-12) << i;
        }
      }
      const auto [w, d] = derivative::witness_derivative({&body, &plane, X.inverse()});
      EXPECT_EQ(d.status == Status::kClamped, of.kink) << i;
      Mat36<double> dn = Mat36<double>::Zero();
      dn.leftCols<3>() = -X.R.transpose() * skew<double>(X.R * w.n);
      EXPECT_LT((d.dn_A_dxi_B - dn).norm(), 1e-12) << i;
      if (!of.round) {
        EXPECT_LT(d.dp1_A_dxi_B.norm(), 1e-12 * std::max(1.0, far)) << i;
      }
    }
}

// On a box over a box, both rows know the distance's gradient: the normal, and the moment arm of the point.
TEST(Estimators, VertexOverFace) {
  const asset::ConvexPiece A = test::box_hull({0.5, 0.5, 0.5}), B = test::box_hull({0.1, 0.1, 0.1});
  const body::Body a = hull_body(A), b = hull_body(B);
  // B stands on a corner, 1 mm above the top of A
  const Vec3<double> diagonal = Vec3<double>(1, 1, 1).normalized();
  const Mat3<double> R_AB = shortest_rotation<double>(diagonal, Vec3<double>::UnitZ());
  const double reach = 0.1 * std::sqrt(3.0);
  const body::Pair pair{&a, &b, {R_AB, {0.05, -0.02, 0.5 + reach + 0.001}}};
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
