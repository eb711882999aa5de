// Bodies on a half-space whose origin is far away along its plane: where it is says nothing about the
// half-space. Oracle: the same half-space with its origin below the body's, moved in extended precision.
#include <gtest/gtest.h>

#include "runtime/contact/contact_mesh.h"
#include "runtime/contact/model.h"
#include "runtime/contact/pressure_field.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using Extended = long double;

// A half-space as body B with its origin `far` along its plane, and with its origin below Ao.
struct FarPlane {
  Pose<double> X_AB, X_AN;  // as given; as near as can be: N has the axes of B
  Vec3<Extended> p_NB;      // Bo in N, m
};

FarPlane far_plane(const Mat3<double>& R, double depth, double far) {
  FarPlane plane;
  plane.X_AB.R = plane.X_AN.R = R;
  plane.X_AB.p = R * Vec3<double>(far, -0.75 * far, -depth);
  // in 128 bits, since a sum of products that nearly cancel loses the rest
  __float128 place[3] = {0, 0, 0};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) place[k] += __float128(R(i, k)) * __float128(plane.X_AB.p[i]);
  plane.X_AN.p = R.col(2) * double(place[2]);
  plane.p_NB << Extended(place[0]), Extended(place[1]), 0;
  return plane;
}

// Largest relative error of a matrix whose rows and columns have these scales.
template <class M, class N>
double scaled_error(const M& found, const N& expected, const Vec6<double>& rows, const Vec6<double>& cols) {
  double worst = 0, largest = 0;
  for (int i = 0; i < found.rows(); ++i)
    for (int j = 0; j < found.cols(); ++j) {
      const double scale = 1 / rows[i] / cols[j];
      worst = std::max(worst, std::abs(double(found(i, j) - expected(i, j)) * scale));
      largest = std::max(largest, std::abs(double(expected(i, j)) * scale));
    }
  return worst / largest;
}

// Scales of rows or columns whose turns are about a point that is `far` from the contact.
Vec6<double> scales(double far) {
  Vec6<double> s;
  s << far, far, far, 1, 1, 1;
  return s;
}

const Vec6<double> kOnes = Vec6<double>::Ones();
const Mat3<double> kLevel = Mat3<double>::Identity();
const Mat3<double> kTilted = exp_rotation<double>({0.1, 0.2, 0.3});

struct Bodies {
  asset::Asset box = test::convex_asset(test::box_hull({0.05, 0.04, 0.05}));
  body::Body a = test::body_of(box, {.friction = 0.3});
  body::Body plane;

  explicit Bodies(double modulus) : plane(test::body_of(body::HalfSpace<double>{0.05}, {modulus, 0, 0.3})) {}
};

// Compares what a model says at the given pose and at the near one, moved to Bo.
void expect_moved(contact::Model& model, const Bodies& bodies, const FarPlane& at, double far) {
  Vec6<double> V;
  V << 0, 0, 0, 0.02, -0.05, 0.03;
  const body::Pair given{&bodies.a, &bodies.plane, at.X_AB, V}, near{&bodies.a, &bodies.plane, at.X_AN, V};
  const contact::PairWrench w = model.wrench(given), n = model.wrench(near);
  Pose<Extended> X_NB;
  X_NB.p = at.p_NB;
  const Mat6<Extended> Ad = adjoint(X_NB);
  ASSERT_EQ(w.status == Status::kNoOverlap, n.status == Status::kNoOverlap) << far;
  if (n.F_BBo_B.isZero(0)) return;
  const auto moved = [&](const Mat6<double>& M) -> Mat6<Extended> {
    return Ad.transpose() * M.cast<Extended>() * Ad;
  };
  EXPECT_LT((w.F_BBo_B - n.F_BBo_B).tail<3>().norm(), 1e-12 * n.F_BBo_B.tail<3>().norm()) << far;
  const Vec6<Extended> F = Ad.transpose() * n.F_BBo_B.cast<Extended>();
  EXPECT_LT(scaled_error(w.F_BBo_B, F, scales(far), kOnes), 1e-12) << far;
  EXPECT_LT(scaled_error(w.dF_dxi_B, moved(n.dF_dxi_B), scales(far), scales(far)), 1e-12) << far;
  if (n.dF_dV_AB_B.isZero(0)) return;
  EXPECT_LT(scaled_error(w.dF_dV_AB_B, moved(n.dF_dV_AB_B), scales(far), scales(far)), 1e-12) << far;
}

void expect_same_points(contact::Model& model, const Bodies& bodies, const FarPlane& at, double far) {
  const auto ask = [&](const Pose<double>& X) {
    const contact::Constraints found =
        model.constraints({&bodies.a, &bodies.plane, X}, 0.001, contact::Want::kJacobian);
    return std::pair(std::vector(found.points.begin(), found.points.end()),
                     std::vector(found.derivatives.begin(), found.derivatives.end()));
  };
  const auto [points, slopes] = ask(at.X_AB);
  const auto [near, near_slopes] = ask(at.X_AN);
  ASSERT_EQ(points.size(), near.size()) << far;
  Pose<Extended> X_NB;
  X_NB.p = at.p_NB;
  const Mat6<Extended> Ad = adjoint(X_NB);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_LT((points[i].p_AC - near[i].p_AC).norm(), 1e-14) << far;
    EXPECT_NEAR(points[i].gap, near[i].gap, 1e-14) << far;
    const Mat36<Extended> dp = near_slopes[i].dp_dxi_B.cast<Extended>() * Ad;
    EXPECT_LT(scaled_error(slopes[i].dp_dxi_B, dp, kOnes, scales(far)), 1e-12) << far;
    const Row6<Extended> dgap = near_slopes[i].dgap_dxi_B.cast<Extended>() * Ad;
    EXPECT_LT(scaled_error(slopes[i].dgap_dxi_B, dgap, kOnes, scales(far)), 1e-12) << far;
  }
}

// A level plane: its place is exact in every model.
TEST(FarPlane, ALevelOneIsTheSameInEveryModel) {
  const Bodies bodies(1e7);
  for (const auto& row : contact::models()) {
    SCOPED_TRACE(row.name);
    const auto model = row.make({});
    for (const double far : {1e2, 1e6, 1e8, 1e10, 1e12, 1e14, 1e15, 1e20, 1e60, 1e100, 1e150}) {
      const FarPlane at = far_plane(kLevel, 0.047, far);
      expect_moved(*model, bodies, at, far);
      if (far < 1e16) expect_same_points(*model, bodies, at, far);
    }
    // Squares of lengths overflow: there is no Jacobian, but the wrench is right.
    for (const double far : {1e160, 1e300}) {
      const FarPlane at = far_plane(kLevel, 0.047, far);
      const body::Pair given{&bodies.a, &bodies.plane, at.X_AB}, near{&bodies.a, &bodies.plane, at.X_AN};
      EXPECT_EQ(model->wrench(given).status, Status::kInvalidInput) << far;
      const Vec6<double> F = model->wrench(given, contact::Want::kValue).F_BBo_B;
      EXPECT_LT((F - model->wrench(near).F_BBo_B).tail<3>().norm(), 1e-12 * F.tail<3>().norm()) << far;
    }
  }
}

// ... with its energy, and the faces of its contact surface.
TEST(FarPlane, EnergyAndContactSurfaceAreTheSame) {
  const auto model = contact::make_model("pressure_field");
  const Bodies bodies(1e7);
  for (const double far : {1e6, 1e12, 1e100}) {
    const FarPlane at = far_plane(kLevel, 0.047, far);
    const body::Pair given{&bodies.a, &bodies.plane, at.X_AB}, near{&bodies.a, &bodies.plane, at.X_AN};
    const double energy = model->wrench(near, contact::Want::kEnergy).energy;
    EXPECT_GT(energy, 0);
    EXPECT_NEAR(model->wrench(given, contact::Want::kEnergy).energy, energy, 1e-12 * energy) << far;
    const contact::ContactMesh mesh = contact::contact_mesh(given), other = contact::contact_mesh(near);
    ASSERT_EQ(mesh.faces.size(), other.faces.size()) << far;
    for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
      EXPECT_NEAR(mesh.faces[i].area, other.faces[i].area, 1e-12 * other.faces[i].area) << far;
      EXPECT_NEAR(mesh.faces[i].pressure, other.faces[i].pressure, 1e-12 * other.faces[i].pressure) << far;
    }
  }
}

// A tilted one is where the numbers of its pose say, exactly, in pressure fields: rigid or compliant.
TEST(FarPlane, ATiltedOneIsWhereItsNumbersSay) {
  const auto model = contact::make_model("pressure_field");
  for (const double modulus : {1e7, contact::kRigid}) {
    const Bodies bodies(modulus);
    for (const double far : {1e2, 1e6, 1e8, 1e10, 1e12, 1e13, 1e14})
      expect_moved(*model, bodies, far_plane(kTilted, 0.047, far), far);
  }
}

}  // namespace
