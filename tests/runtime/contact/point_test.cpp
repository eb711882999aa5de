#include "runtime/contact/point.h"

#include <gtest/gtest.h>

#include "tests/support/hulls.h"

namespace {

using namespace abut;
using contact::PointConfig;

struct Boxes {
  asset::ConvexPiece A = test::box_hull({0.5, 0.5, 0.5}), B = test::box_hull({0.1, 0.1, 0.1});
  asset::AssetView a, b;
  Mat3<double> on_corner =
      shortest_rotation<double>(Vec3<double>(1, 1, 1).normalized(), Vec3<double>::UnitZ());
  Boxes() {
    a.convex = asset::view(A);
    b.convex = asset::view(B);
  }
  // B on its corner, `depth` into the top of A at (x, y)
  asset::PosedPair pair(double x, double y, double depth) const {
    return {&a, &b, {on_corner, {x, y, 0.5 + 0.1 * std::sqrt(3.0) - depth}}};
  }
};

TEST(PointContact, PushesAlongTheNormalByStiffnessTimesDepth) {
  const Boxes boxes;
  const auto model = contact::make_point_model({.stiffness = 2000, .gumbel = {}, .clamp = {}});
  const auto w = model->wrench(boxes.pair(0.05, -0.02, 0.003), Vec6<double>::Zero(), Vec6<double>::Zero(),
                               contact::Want::kJacobian);
  EXPECT_NEAR(w.energy, 0.5 * 2000 * 0.003 * 0.003, 1e-12);
  EXPECT_TRUE(std::isnan(w.area));
  const Vec6<double> on_B = shift_wrench<double>({boxes.on_corner, {0, 0, 0}}, w.F_BBo_B);
  EXPECT_LT((on_B.tail<3>() - Vec3<double>(0, 0, 6)).norm(), 1e-9);
  EXPECT_LT(on_B.head<3>().norm(), 1e-9);  // the corner is straight below B's centre
  // along the normal the Jacobian is the stiffness, whatever the curvature
  const Vec3<double> n_B = boxes.on_corner.transpose() * Vec3<double>::UnitZ();
  EXPECT_NEAR(n_B.dot(w.dF_dxi_B.bottomRightCorner<3, 3>() * n_B), -2000, 1e-6);
  EXPECT_EQ(w.dF_dV_AB_B.norm(), 0);
}

TEST(PointContact, NothingApartAndOneContactWithinTheMargin) {
  const Boxes boxes;
  const auto model = contact::make_point_model();
  const auto apart = boxes.pair(0.05, -0.02, -0.004);
  const auto w = model->wrench(apart, Vec6<double>::Zero(), Vec6<double>::Zero(), contact::Want::kJacobian);
  EXPECT_EQ(w.status, Status::kNoOverlap);
  EXPECT_EQ(w.F_BBo_B.norm() + w.dF_dxi_B.norm() + w.energy, 0);
  EXPECT_EQ(model->constraints(apart, 0.003).status, Status::kNoOverlap);
  const auto found = model->constraints(apart, 0.005);
  ASSERT_EQ(found.points.size(), 1u);
  const contact::ContactPoint& c = found.points[0];
  EXPECT_NEAR(c.gap, 0.004, 1e-12);
  EXPECT_LT((c.n_A - Vec3<double>::UnitZ()).norm(), 1e-12);
  EXPECT_LT((c.p_AC - Vec3<double>(0.05, -0.02, 0.502)).norm(), 1e-12);
  EXPECT_EQ(c.area, 0);
}

TEST(PointContact, SettingsOutOfRangeAreRefused) {
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    PointConfig config;
    config.stiffness = bad;
    EXPECT_THROW(contact::make_point_model(config), InvalidInput);
  }
  PointConfig config;
  config.gumbel.rings = 0;
  EXPECT_THROW(contact::make_point_model(config), InvalidInput);
}

}  // namespace
