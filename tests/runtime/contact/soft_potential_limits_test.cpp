// The soft potential at the ends of blocks, sizes and speeds.
#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "runtime/contact/model.h"
#include "runtime/ssdf/primitives.h"
#include "tests/runtime/contact/potential_samples.h"
#include "tests/support/bodies.h"

namespace {

using namespace abut;
using namespace abut::contact;
using test::ball_cloud;

// Of a cloud without quads whose last block is not full: no piece without a point, and balls are about the
// points that there are.
TEST(SoftPotentialLimits, PiecesHavePoints) {
  const body::Body ball{body::Geometry(body::Sphere<double>{0.05})},
      floor{body::Geometry(body::HalfSpace<double>{})};
  const asset::PointsView points = ball.geometry.points();
  ASSERT_EQ(points.point_count % asset::kBlockPoints, 2);
  const int groups = points.samples.first[points.blocks.block_count];
  EXPECT_EQ(groups, points.point_count / asset::kGroupSamples + 1);
  double sum = 0;
  for (int g = 0; g < groups; ++g) {
    const double* const x = points.samples.numbers + asset::kGroupNumbers * g;
    Vec3<double> mean = Vec3<double>::Zero();
    int count = 0;
    for (int i = 0; i < asset::kGroupSamples; ++i) {
      sum += x[12 + i];
      if (x[12 + i] == 0) continue;
      mean += Vec3<double>(x[i], x[4 + i], x[8 + i]);
      ++count;
    }
    ASSERT_GT(count, 0) << g;
    EXPECT_LT((mean / count - Vec3<double>::Map(points.samples.balls[g].center)).norm(), 1e-15) << g;
  }
  EXPECT_NEAR(sum, 4 * std::numbers::pi * 0.05 * 0.05, 1e-3 * sum);
  const auto model = make_model("soft_potential");
  for (const ContactPoint& point : model->constraints({&floor, &ball, {}}, 1.0).points)
    EXPECT_GT(point.area, 0);
}

// A field of points whose spacing is more than a metre, with friction, where Hessians are made sample by
// sample.
TEST(SoftPotentialLimits, EnergyOfWideSpacings) {
  const asset::Asset box = test::points_asset(ssdf::box_points({100, 100, 100}, 11));
  const body::Body A = test::body_of(box, {.friction = 0.5}), B = A;
  const auto model = make_model("soft_potential", {{"field", "points"}});
  WrenchHessian hessian;
  for (const double height : {198.0, 203.0, 210.0, 215.0}) {
    const Pose<double> X{exp_rotation<double>({0.06, 0.03, 0.4}), {20, -30, height}};
    const PairWrench one = model->wrench({&A, &B, X}, Want::kJacobian | Want::kEnergy);
    const PairWrench other = model->wrench({&A, &B, X}, Want::kHessian | Want::kEnergy, &hessian);
    EXPECT_NEAR(other.energy, one.energy, 1e-9 * one.energy) << height;
  }
}

// Friction of a slip whose square is no number, where Hessians are made sample by sample.
TEST(SoftPotentialLimits, FrictionHasNoGreatestSpeed) {
  const body::Body ball{ball_cloud(0.05, 400), {.friction = 0.5}},
      floor{body::Geometry(body::HalfSpace<double>{}), {.friction = 0.5}};
  const auto model = make_model("soft_potential");
  WrenchHessian hessian;
  for (const double speed : {1e6, 1e155, 1e300}) {
    Vec6<double> V = Vec6<double>::Zero();
    V[3] = speed;
    const body::Pair pair{&floor, &ball, {Mat3<double>::Identity(), {0, 0, 0.049}}, V};
    const Vec6<double> F = model->wrench(pair, Want::kJacobian).F_BBo_B;
    const PairWrench w = model->wrench(pair, Want::kHessian, &hessian);
    ASSERT_EQ(w.status, Status::kOk) << speed;
    EXPECT_LT((w.F_BBo_B - F).norm(), 1e-12 * F.norm()) << speed;
    EXPECT_LT(F[3], -0.3 * F[5]) << speed;
  }
}

// The square of the depth is no number: the force without the energy is one.
TEST(SoftPotentialLimits, AnEnergyBeyondNumbersIsRefused) {
  const body::Body B{ball_cloud(0.02, 300)}, floor{body::Geometry(body::HalfSpace<double>{})};
  const auto model = make_model("soft_potential");
  const body::Pair deep{&floor, &B, {Mat3<double>::Identity(), {0, 0, -1e160}}};
  EXPECT_EQ(model->wrench(deep, Want::kValue).status, Status::kOk);
  const PairWrench beyond = model->wrench(deep, Want::kValue | Want::kEnergy);
  EXPECT_EQ(beyond.status, Status::kInvalidInput);
  EXPECT_TRUE(std::isnan(beyond.energy) && beyond.F_BBo_B.array().isNaN().all());
}

// Two patches that are far apart for their spacing.
TEST(SoftPotentialLimits, ALatticeThatIsTooLargeIsRefusedBeforehand) {
  std::vector<Vec3<double>> positions, normals;
  for (const Vec3<double>& p : {Vec3<double>(-9, -9, -9), Vec3<double>(9, 9, 9)}) {
    positions.push_back(p);
    normals.push_back(p.normalized());
  }
  const body::Body far{body::Geometry(test::points_asset(test::make_points(positions, normals, 1e-4)))},
      ball{ball_cloud(0.05, 100)}, floor{body::Geometry(body::HalfSpace<double>{})};
  const auto model = make_model("soft_potential", {{"field", "lattice"}});
  model->require_valid({&ball, &floor, {}});
  for (const body::Pair& pair : {body::Pair{&far, &ball, {}}, body::Pair{&floor, &far, {}}}) {
    try {
      model->require_valid(pair);
      ADD_FAILURE();
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("more than 4 million places"), std::string::npos)
          << error.what();
    }
    EXPECT_THROW(model->wrench(pair), InvalidInput);
  }
}

// With friction and without, of fields of points, lattices and primitives.
TEST(SoftPotentialLimits, SeveralThreadsShareAPairWithTheSameBits) {
  const body::Body ball{ball_cloud(0.05, 4000), {.friction = 0.4}}, smooth{ball_cloud(0.04, 3000)},
      floor{body::Geometry(body::HalfSpace<double>{})},
      box{body::Geometry(body::Box<double>{{0.1, 0.1, 0.02}})};
  const Pose<double> aside{exp_rotation<double>({0.1, 0.7, 0.2}), {0.01, 0.02, 0.084}};
  Vec6<double> V;
  V << 1, -2, 0.5, 0.02, -0.03, 0.01;
  const std::vector<body::Pair> pairs{{&ball, &smooth, aside, V},
                                      {&smooth, &smooth, {aside.R, {0.01, 0.02, 0.07}}, V},
                                      {&floor, &ball, {aside.R, {0, 0, 0.0495}}, V},
                                      {&box, &ball, {aside.R, {0, 0, 0.0695}}, V}};
  const Want want = Want::kJacobian | Want::kHessian | Want::kEnergy;
  for (const char* field : {"points", "lattice"}) {
    for (const body::Pair& pair : pairs) {
      WrenchHessian hessian, other;
      const PairWrench one = make_model("soft_potential", {{"field", field}})->wrench(pair, want, &hessian);
      ASSERT_EQ(one.status, Status::kOk);
      EXPECT_GT(one.F_BBo_B.norm(), 0);
      for (const int threads : {2, 3, 8}) {
        const auto model = make_model("soft_potential", {{"field", field}, {"pair_threads", threads}});
        for (int repeat = 0; repeat < 3; ++repeat) {
          const PairWrench same = model->wrench(pair, want, &other);
          EXPECT_EQ(same.F_BBo_B, one.F_BBo_B) << field << " on " << threads;
          EXPECT_EQ(same.energy, one.energy);
          EXPECT_EQ(same.dF_dxi_B, one.dF_dxi_B);
          EXPECT_EQ(same.dF_dV_AB_B, one.dF_dV_AB_B);
          EXPECT_EQ(other, hessian);
        }
      }
    }
  }
}

}  // namespace
