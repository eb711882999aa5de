// Contact models' reach: bodies farther apart exert nothing to speak of.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "runtime/contact/model.h"
#include "runtime/ssdf/primitives.h"
#include "tests/support/bodies.h"
#include "tests/support/point_clouds.h"
#include "tests/support/tetrahedron_asset.h"

namespace {

using namespace abut;
using contact::Want;

double force(contact::Model& model, const body::Body& A, const body::Body& B, const Vec3<double>& p) {
  return model.wrench({&A, &B, {Mat3<double>::Identity(), p}}, Want::kValue).F_BBo_B.norm();
}

// Beside the edges of a cube its points are beyond the planes of other faces, which press however far.
TEST(Reach, SoftMinimumCubesSideBySide) {
  const double spacing = 0.01, half = 4 * spacing;
  const asset::Asset cube = test::points_asset(ssdf::box_points({half, half, half}, spacing));
  const body::Body A = test::body_of(cube), B = test::body_of(cube);
  for (const double eps1 : {0.1, 0.5, 2.0, 8.0}) {
    const auto model = contact::make_model("soft_minimum", {{"eps1", eps1}});
    const double reach = model->reach(A) + model->reach(B);
    EXPECT_GE(reach, 3.7 * spacing);
    EXPECT_LE(reach, 2 * (745 * 0.05 + 15) * spacing);  // there springs end
    for (const double beside : {0.0, spacing, 3 * spacing}) {
      const double touching = force(*model, A, B, {2 * half, 0, beside});
      ASSERT_GT(touching, 0);
      for (const double more : {1.0, 1.2})
        EXPECT_LE(force(*model, A, B, {2 * half + more * reach, 0, beside}), 1e-16 * touching) << eps1;
    }
  }
}

// Fields of primitives are their exact distances.
TEST(Reach, SoftMinimumPrimitivesReachAsFarAsSprings) {
  const auto model = contact::make_model("soft_minimum");
  const body::Body ball = test::body_of(body::Sphere<double>{0.05}),
                   floor = test::body_of(body::HalfSpace<double>{});
  EXPECT_EQ(model->reach(floor), 0);
  EXPECT_NEAR(model->reach(ball), 37 * 0.05 * ball.geometry.points().spacing, 1e-12);
}

// A wedge of 2 `half` radians whose edge is the y axis: two sides that open towards x.
body::Geometry wedge(double half, double spacing) {
  std::vector<Vec3<double>> positions, normals, tangents;
  for (const double side : {-1.0, 1.0})
    for (int i = 0; i < 20; ++i)
      for (int j = -10; j < 10; ++j) {
        const Vec3<double> along(std::cos(half), 0, side * std::sin(half));
        positions.push_back((i + 0.5) * spacing * along + Vec3<double>(0, (j + 0.5) * spacing, 0));
        normals.emplace_back(-std::sin(half), 0, side * std::cos(half));
        tangents.push_back(along);
      }
  return body::Geometry(
      test::points_asset(test::make_points(positions, normals, spacing * spacing, tangents)));
}

// The field of points ahead of an edge is less than the distance.
TEST(Reach, SoftPotentialAheadOfSharpEdges) {
  const double spacing = 0.01;
  const asset::Asset plate = test::points_asset(ssdf::box_points({spacing, 0.1, 0.1}, spacing));
  const body::Body cloud = test::body_of(plate),
                   exact = test::body_of(body::Box<double>{{spacing, 0.1, 0.1}});
  for (const char* field : {"points", "lattice"}) {
    const auto model = contact::make_model("soft_potential", {{"field", field}});
    for (const double degrees : {30.0, 40.0, 60.0}) {
      const body::Body A{wedge(degrees / 360 * std::numbers::pi, spacing)};
      for (const body::Body* B : {&cloud, &exact}) {
        const double reach = model->reach(A) + model->reach(*B),
                     touching = force(*model, A, *B, {-spacing, 0, 0});
        ASSERT_GT(touching, 0);
        EXPECT_LE(force(*model, A, *B, {-spacing - reach, 0, 0}), 1e-16 * touching) << degrees << field;
      }
    }
  }
  const auto model = contact::make_model("soft_potential");
  EXPECT_EQ(model->reach(test::body_of(body::HalfSpace<double>{})), 0);
}

// Forces and the status end at one place.
TEST(Reach, SoftPotentialSaysWhereNothingIsMet) {
  const auto model = contact::make_model("soft_potential");
  const body::Body box = test::body_of(body::Box<double>{{0.03, 0.03, 0.03}}),
                   ball = test::body_of(body::Sphere<double>{0.03});
  int met = 0;
  for (double gap = 1e-3; gap < 5e-3; gap += 1e-4) {
    const contact::PairWrench found =
        model->wrench({&box, &ball, {Mat3<double>::Identity(), {0.06 + gap, 0, 0}}}, Want::kValue);
    EXPECT_EQ(found.status == Status::kOk, !found.F_BBo_B.isZero(0)) << gap;
    met += found.status == Status::kOk;
  }
  EXPECT_GT(met, 5);
  EXPECT_LT(met, 35);
}

// Tetrahedra fill a simplified surface, which stands out of the box of the other.
TEST(Reach, PressureFieldOfTetrahedraBeyondTheSurface) {
  asset::Asset asset = test::tetrahedron_asset();
  for (double& x : asset.volumes[0].vertices) x *= 1.1;
  const auto model = contact::make_model("pressure_field");
  const body::Body body = test::body_of(asset, {.modulus = 1e6});
  EXPECT_GE(model->reach(body), 0.1);
  EXPECT_LE(model->reach(body), 0.2);
}

// The triangles of round primitives stand half of their deviation outside.
TEST(Reach, PressureFieldOfRoundPrimitives) {
  const auto model = contact::make_model("pressure_field");
  const body::Material soft{.modulus = 1e6};
  const body::Body floor = test::body_of(body::HalfSpace<double>{}),
                   box = test::body_of(body::Box<double>{{1, 1, 1}}, soft);
  EXPECT_EQ(model->reach(floor), 0);
  EXPECT_EQ(model->reach(box), 0);
  for (const body::Primitive& primitive :
       {body::Primitive(body::Sphere<double>{1}), body::Primitive(body::Capsule<double>{0.5, 1}),
        body::Primitive(body::Ellipsoid<double>{{0.5, 0.7, 1}})})
    for (const double deviation : {1e-2, 0.1, 0.5}) {
      const body::Body ball{body::Geometry(primitive, deviation), soft};
      const double reach = model->reach(ball),
                   bottom = std::holds_alternative<body::Capsule<double>>(primitive) ? 1.5 : 1;
      EXPECT_GE(reach, deviation / 2);
      EXPECT_LE(reach, 0.7 * deviation);
      EXPECT_EQ(force(*model, floor, ball, {0, 0, bottom + reach * 1.0001}), 0);
      EXPECT_GT(force(*model, floor, ball, {0, 0, bottom + 0.2 * deviation}), 0);
    }
}

}  // namespace
