// Soft-minimum contact with primitives, by their exact distance.
#include <gtest/gtest.h>

#include "runtime/contact/soft_minimum.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/primitives.h"
#include "tests/runtime/contact/soft_minimum_reference.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/point_clouds.h"
#include "tests/support/primitives.h"

namespace {

using namespace abut;
using namespace abut::contact;
using ssdf::Order;
using test::gap;
using test::S;

// A ball of planes, a primitive that it overlaps, touches or is near, and how the latter moves.
struct BallAndPrimitive {
  asset::OrientedPoints ball;
  body::Geometry primitive;
  Pose<double> X_AB;
  Vec6<double> V;
};

constexpr double kBall = 0.05;  // m

// The ball lies `height` above a point of the surface.
BallAndPrimitive near_ball(const body::Primitive& primitive, double height, int k) {
  Random random(17, k);
  BallAndPrimitive c{test::sphere_points(kBall, 180), body::Geometry(primitive), {}, {}};
  Vec3<double> n(random.normal(), random.normal(), std::abs(random.normal())), p = Vec3<double>::Zero();
  n.normalize();
  if (c.primitive.half_space() != nullptr) {
    n = Vec3<double>::UnitZ();
  } else {
    const asset::PointsView& points = c.primitive.points();
    const auto at = static_cast<std::int32_t>(random.below(points.point_count));
    p = ssdf::internal::position<double>(points, at);
    n = ssdf::internal::normal<double>(points, at);
  }
  Pose<double> X_BA{test::random_rotation(random), p + (kBall + height) * n};
  c.X_AB = X_BA.inverse();
  for (int i = 0; i < 6; ++i) c.V[i] = random.normal() * (i < 3 ? 2 : 0.1);
  return c;
}

TEST(SoftMinimumPrimitive, TheWrenchIsTheSumOverAllPoints) {
  int k = 0;
  for (const body::Primitive& primitive :
       {body::Primitive(body::Sphere<double>{0.03}), body::Primitive(body::Box<double>{{0.02, 0.05, 0.03}}),
        body::Primitive(body::HalfSpace<double>{})})
    for (const double height : {-0.01, -0.0005, 0.0005, 0.01})
      for (const bool primitive_is_A : {false, true}) {
        SCOPED_TRACE(++k);
        const BallAndPrimitive c = near_ball(primitive, height, k);
        const SoftBody planes(asset::view(c.ball)), exact(c.primitive);
        const SoftBody &A = primitive_is_A ? exact : planes, &B = primitive_is_A ? planes : exact;
        const Pose<double> X_AB = primitive_is_A ? c.X_AB.inverse() : c.X_AB;
        const auto parameters = parameters_of({}, A, B);
        S distance;
        const Vec6<S> expected =
            test::Reference{parameters.cast<S>()}.wrench(A, B, X_AB.cast<S>(), c.V.cast<S>(), distance);
        SoftMinimum<double> found;
        soft_minimum(A, B, X_AB, c.V, parameters, Order::kValue, found);
        EXPECT_LT(gap(found.F_BBo_B, expected), 2e-11);
        EXPECT_LT(std::abs(double(found.distance - distance)), 1e-13);
      }
}

// Away from edges, where second derivatives jump.
TEST(SoftMinimumPrimitive, DerivativesAreThoseOfTheWrench) {
  const auto expect = [](const body::Primitive& primitive, double height, int k, bool primitive_is_A) {
    SCOPED_TRACE(row_of(primitive).name);
    const BallAndPrimitive c = near_ball(primitive, height, k);
    const SoftBody planes(asset::view(c.ball)), exact(c.primitive);
    if (primitive_is_A)
      test::expect_derivatives(exact, planes, c.X_AB.inverse(), c.V, {}, 1e-8, 1e-6);
    else
      test::expect_derivatives(planes, exact, c.X_AB, c.V, {}, 1e-8, 1e-6);
  };
  expect(body::Sphere<double>{0.03}, -0.002, 101, false);
  expect(body::Sphere<double>{0.03}, 0.002, 102, true);
  expect(body::Ellipsoid<double>{{0.03, 0.04, 0.05}}, -0.002, 103, true);
  expect(body::HalfSpace<double>{}, 0.002, 104, false);
}

// Four planes at the corners of a large square are the same half-space.
TEST(SoftMinimumPrimitive, AHalfSpaceIsThatOfItsPlanes) {
  const asset::OrientedPoints plane = ssdf::half_space_points(1, 0.1);
  const body::Geometry half_space{body::HalfSpace<double>{}};
  for (int k = 0; k < 4; ++k) {
    const BallAndPrimitive c = near_ball(body::HalfSpace<double>{}, 0.001 * (k - 2), k);
    const SoftBody ball(asset::view(c.ball)), planes(asset::view(plane)), exact(half_space);
    const auto with = parameters_of({}, ball, planes);
    EXPECT_EQ(with.stiffness, parameters_of({}, ball, exact).stiffness);
    SoftMinimum<double> expected, found;
    soft_minimum(ball, planes, c.X_AB, c.V, with, Order::kHessian, expected);
    soft_minimum(ball, exact, c.X_AB, c.V, with, Order::kHessian, found);
    EXPECT_LT((found.F_BBo_B - expected.F_BBo_B).norm(), 1e-10 * expected.F_BBo_B.norm());
    EXPECT_LT((found.jacobian - expected.jacobian).norm(), 1e-9 * expected.jacobian.norm());
    for (int i = 0; i < 6; ++i)
      EXPECT_LT((found.hessian[i] - expected.hessian[i]).norm(), 1e-8 * expected.hessian[i].norm());
  }
}

// Penetration of a box of planes at rest: k eps3 log(1 + exp(depth / eps3)) = load.
TEST(SoftMinimumPrimitive, AMeshedBoxRestsOnAHalfSpaceAsDeepAsTheStiffnessSays) {
  const asset::Asset block = test::points_asset(ssdf::box_points({0.05, 0.04, 0.03}, 0.008));
  const body::Body box = test::body_of(block), ground = test::body_of(body::HalfSpace<double>{});
  const SoftMinimumParameters<double> with =
      parameters_of({}, SoftBody(ground.geometry), SoftBody(box.geometry));
  const auto model = make_soft_minimum_model();
  for (const double depth : {0.0002, 0.001}) {
    const Pose<double> X{Mat3<double>::Identity(), {0.3, -0.2, 0.03 - depth}};
    const Vec6<double> F = model->wrench({&ground, &box, X}).F_BBo_B;
    const double load = with.stiffness * with.eps3 * std::log1p(std::exp(depth / with.eps3));
    EXPECT_NEAR(F[5], load, 0.02 * load);
    EXPECT_LT(F.head<3>().norm() + 0.05 * F.segment<2>(3).norm(), 1e-9 * load);
  }
}

// A ball that is smaller than the spacing of the planes, between any of their points: its own points feel
// them.
TEST(SoftMinimumPrimitive, ASmallBallIsSeenBetweenThePoints) {
  const asset::Asset plate = test::points_asset(ssdf::box_points({0.05, 0.05, 0.01}, 0.01));
  const body::Body table = test::body_of(plate), ball = test::body_of(body::Sphere<double>{0.002});
  const auto model = make_soft_minimum_model();
  for (const double x : {0.0, 0.002, 0.005}) {  // points are at odd multiples of 0.005
    const Vec6<double> F = model->wrench({&table, &ball, {Mat3<double>::Identity(), {x, x, 0.0117}}}).F_BBo_B;
    EXPECT_GT(F[5], 0);
    EXPECT_LT(std::hypot(F[3], F[4]), 0.02 * F[5]) << x;
  }
}

TEST(SoftMinimumPrimitive, ReachesFromTheSmallestToTheLargest) {
  const asset::Asset block = test::points_asset(ssdf::box_points({0.05, 0.04, 0.03}, 0.008));
  const body::Body box = test::body_of(block);
  const auto model = make_soft_minimum_model();
  double last = 0;
  for (const double radius : {1e3, 1e5, 1e7, 1e9}) {  // ever more a half-space
    const body::Body earth = test::body_of(body::Sphere<double>{radius});
    const Pose<double> X{Mat3<double>::Identity(), {0, 0, radius + 0.0298}};
    const PairWrench w = model->wrench({&earth, &box, X});
    ASSERT_EQ(w.status, Status::kOk) << radius;
    if (last > 0) {
      EXPECT_NEAR(w.F_BBo_B[5], last, 1e-2 * last) << radius;
    }
    last = w.F_BBo_B[5];
  }
  for (const body::Primitive& primitive : test::solid_primitives())
    for (const double far : {1e1, 1e6, 1e100, 1e300}) {
      const body::Body B = test::body_of(primitive);
      const PairWrench w = model->wrench({&box, &B, {Mat3<double>::Identity(), {0, far, 0}}});
      EXPECT_EQ(w.status, Status::kNoOverlap) << row_of(primitive).name << " " << far;
      EXPECT_TRUE(w.F_BBo_B.isZero(0));
    }
}

TEST(SoftMinimumPrimitive, TwoHalfSpacesAreRefused) {
  const body::Body ground = test::body_of(body::HalfSpace<double>{}),
                   ball = test::body_of(body::Sphere<double>{1});
  const auto model = make_soft_minimum_model();
  EXPECT_THROW(model->wrench({&ground, &ground, {}}), InvalidInput);
  EXPECT_NO_THROW(model->wrench({&ground, &ball, {}}));
}

Pose<double> raised(double height) { return {Mat3<double>::Identity(), {0, 0, height}}; }

// A face that lies on a half-space touches it by its whole area, on another face by half of either's.
TEST(SoftMinimumPrimitive, ContactPointsStandForTheAreaThatTouches) {
  const double spacing = 0.005, half = 0.02, face = 4 * half * half;
  const asset::Asset cube = test::points_asset(ssdf::box_points({half, half, half}, spacing));
  const body::Body box = test::body_of(cube), floor = test::body_of(body::HalfSpace<double>{}),
                   planet = test::body_of(body::Sphere<double>{1e10});
  const auto model = make_soft_minimum_model();
  const auto area = [&](const body::Body& A, const body::Body& B, double height) {
    double sum = 0;
    for (const ContactPoint& point : model->constraints({&A, &B, raised(height)}, 1e-3, Want::kValue).points)
      sum += point.area;
    return sum;
  };
  EXPECT_NEAR(area(floor, box, half - 1e-4), face, 1e-9 * face);
  EXPECT_NEAR(area(planet, box, 1e10 + half), face, 1e-9 * face);  // whose points are left out
  EXPECT_NEAR(area(box, box, 2 * half - 1e-4), face, 1e-9 * face);
}

// Friction of a slip whose square is no number.
TEST(SoftMinimumPrimitive, FrictionHasNoGreatestSpeed) {
  const asset::Asset cube = test::points_asset(ssdf::box_points({0.02, 0.02, 0.02}, 0.005));
  const body::Body box = test::body_of(cube, {.friction = 0.5}),
                   floor = test::body_of(body::HalfSpace<double>{}, {.friction = 0.5});
  const auto model = make_soft_minimum_model();
  for (const double speed : {1e6, 1e100, 1e155, 1e300}) {
    Vec6<double> V = Vec6<double>::Zero();
    V[3] = speed;
    const PairWrench w = model->wrench({&floor, &box, raised(0.0199), V}, Want::kJacobian);
    ASSERT_EQ(w.status, Status::kOk) << speed;
    EXPECT_NEAR(w.F_BBo_B[3], -0.5 * w.F_BBo_B[5], 1e-6 * w.F_BBo_B[5]) << speed;
    EXPECT_TRUE(w.dF_dxi_B.allFinite() && w.dF_dV_AB_B.allFinite()) << speed;
  }
}

}  // namespace
