// Features of surfaces that primitives meet: edges and corners that turn the normal, flats along which points
// slide, and the triangles of flat faces, which do not matter.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "runtime/core/random.h"
#include "runtime/derivative/finite_difference.h"
#include "tests/runtime/proximity/primitive_on_surface.h"
#include "tests/support/primitives.h"
#include "tests/support/real_surfaces.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using asset::Surface;
using body::Body;
using body::Pair;
using proximity::SurfaceWitness;
using test::asked;
using test::body_of_surface;

// A ball within an L-shaped prism, below its reentrant edge: the normal turns across the edge alone, by one
// over the distance of the point from it.
TEST(PrimitiveOnSurface, NormalsOfReentrantEdgesTurnAcrossThem) {
  const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  const Pose<double> X_SL{exp_rotation<double>({0.9, 1.5, -1.2}), {0.1, 0.2, 0.3}};
  preprocess::TriangleMesh prism;
  for (const double z : {0.0, 2.0})
    for (const auto& p : outline) prism.vertices.push_back(X_SL * Vec3<double>(p[0], p[1], z));
  for (const auto& t : {std::array{3, 4, 5}, {3, 5, 0}, {3, 0, 1}, {3, 1, 2}}) {
    prism.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
    prism.triangles.push_back({t[0], t[2], t[1]});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    prism.triangles.push_back({i, j, j + 6});
    prism.triangles.push_back({i, j + 6, i + 6});
  }
  const Surface L = preprocess::build_surface(prism);
  const Body S = body_of_surface(L), ball{body::Geometry(body::Sphere<double>{0.05})};
  const Vec3<double> along = X_SL.R.col(2);
  int deepest_of_ball = 0;
  for (int i = 0; i < 200; ++i) {
    Random random(94, i);
    const auto about = [&](double middle, double most) { return middle + random.uniform(-most, most); };
    const Pose<double> X{exp_rotation<double>(test::normal_vector(random)),
                         X_SL * Vec3<double>(about(0.75, 0.03), about(0.75, 0.03), about(1, 0.1))};
    for (const Pair& pair : {Pair{&S, &ball, X}, Pair{&ball, &S, X.inverse()}}) {
      const bool ball_is_A = pair.A == &ball;
      const SurfaceWitness found = asked(pair);
      if (found.of_A != ball_is_A) continue;
      ++deepest_of_ball;
      EXPECT_EQ(((ball_is_A ? found.weight_B : found.weight_A).array() == 0).count(), 1) << i;
      const Mat3<double> R_SA = ball_is_A ? X.R : Mat3<double>::Identity();
      const auto d = proximity::primitive_derivative(pair, found);
      const Mat3<double> dn = R_SA * d.dn_A_dxi_B.rightCols<3>();  // by shifts of B
      EXPECT_NEAR(dn.norm() * std::abs(found.witness.distance), 1, 1e-6) << i;
      const Vec3<double> along_B = ball_is_A ? along : Vec3<double>(X.R.transpose() * along);
      EXPECT_LT((dn * along_B).norm(), 1e-6) << i;
    }
  }
  EXPECT_GT(deepest_of_ball, 200);
}

// Where convex bodies touch, edges and corners among them, moving along the normal parts them by as much.
TEST(PrimitiveOnSurface, TouchingNormalsPart) {
  constexpr double kSize = 0.1;
  const Surface cube = preprocess::build_surface(test::box(kSize, 0.07, 0.12));
  const Body S = body_of_surface(cube);
  int asks = 0;
  for (const body::Primitive& primitive : test::solid_primitives()) {
    const Body P{body::Geometry(primitive)};
    for (int i = 0; i < 15; ++i) {
      Random random(92, i);
      const double quarter = i % 3 == 0 ? M_PI / 4 : 0;  // edges and faces on faces, then anything
      const Vec3<double> turn =
          i % 3 == 2 ? test::normal_vector(random) : Vec3<double>(quarter * Vec3<double>::Unit(i / 3 % 3));
      const Vec3<double> way = i % 2 == 0 ? Vec3<double>(Vec3<double>::Unit(i / 2 % 3))
                                          : Vec3<double>(test::normal_vector(random).normalized());
      Pose<double> X{exp_rotation<double>(turn), {}};
      double inside = 0, outside = 10 * kSize;
      for (int k = 0; k < 42; ++k) {
        X.p = (inside + outside) / 2 * way;
        (asked({&S, &P, X}).witness.distance < 0 ? inside : outside) = (inside + outside) / 2;
      }
      for (const double at : {inside, outside}) {
        X.p = at * way;
        for (const Pair& pair : {Pair{&S, &P, X}, Pair{&P, &S, X.inverse()}}) {
          SCOPED_TRACE(std::to_string(primitive.index()) + " " + std::to_string(i));
          const SurfaceWitness found = asked(pair);
          const Vec3<double> n = found.witness.n;
          EXPECT_LT(std::abs(found.witness.distance), 1e-12);
          Pose<double> apart = pair.X_AB;
          apart.p += 1e-5 * kSize * n;
          EXPECT_NEAR(asked({pair.A, pair.B, apart}).witness.distance / (1e-5 * kSize), 1, 1e-3);
          const auto d = proximity::primitive_derivative(pair, found);
          EXPECT_LT((n.transpose() * d.dn_A_dxi_B).norm(), 1e-4 * (1 / kSize + d.dn_A_dxi_B.norm()));
          const Vec3<double> n_B = pair.X_AB.R.transpose() * n, p_B = pair.X_AB.inverse() * found.witness.p2;
          EXPECT_LT((d.dd_dxi_B.tail<3>().transpose() - n_B).norm(), 1e-6);
          EXPECT_LT((d.dd_dxi_B.head<3>().transpose() - p_B.cross(n_B)).norm(), 1e-6);
          ++asks;
        }
      }
    }
  }
  EXPECT_GT(asks, 300);
}

// The nearest point of the surface may touch the primitive where the deepest one is far within.
TEST(PrimitiveOnSurface, WhatIsDeepDoesNotTouch) {
  const Surface cube = preprocess::build_surface(test::box(1, 1, 1));
  const Body S = body_of_surface(cube), ball{body::Geometry(body::Sphere<double>{0.3})},
             half{body::Geometry(body::Sphere<double>{0.5})},
             cylinder{body::Geometry(body::Cylinder<double>{0.5, 0.5})};
  const auto expect_deep = [&](const Body& P, double x) {
    const Pose<double> X_PS{Mat3<double>::Identity(), {x, 0, 0}};
    for (const Pair& pair : {Pair{&P, &S, X_PS}, Pair{&S, &P, X_PS.inverse()}}) {
      const SurfaceWitness found = asked(pair);
      EXPECT_LT(found.witness.distance, -0.1);
      EXPECT_EQ(found.witness.status, Status::kOk);
      EXPECT_EQ(proximity::primitive_derivative(pair, found).status, Status::kClamped);
    }
  };
  expect_deep(ball, 0.2);
  expect_deep(half, 0);
  expect_deep(cylinder, 0);
  const Pair touching{&ball, &S, {Mat3<double>::Identity(), {0.8, 0, 0}}},
      flush{&cylinder, &S, {Mat3<double>::Identity(), {0, 0, 1}}};
  EXPECT_EQ(asked(touching).witness.status, Status::kTouching);
  EXPECT_EQ(asked(flush).witness.status, Status::kTouching);
  const auto of_flush = proximity::primitive_derivative(flush, asked(flush));
  EXPECT_GT(of_flush.clamped_count, 0);  // faces slide along each other
  EXPECT_EQ(of_flush.status, Status::kClamped);
}

// What stands on a flat, whose points slide all over the face or along the edge below; not what stands askew.
TEST(PrimitiveOnSurface, WhatLiesAlongAFlatSlides) {
  const Body cube = body_of_surface(preprocess::build_surface(test::box(0.2, 0.2, 0.2))),
             ground = {body::Geometry(body::HalfSpace<double>{})},
             table = {body::Geometry(body::Box<double>{{0.5, 0.5, 0.05}})},
             drum = {body::Geometry(body::Cylinder<double>{0.05, 0.5})};
  const auto expect = [](const Body& of, const Body& on, const Pose<double>& X, bool slides) {
    for (const Pair& pair : {Pair{&on, &of, X}, Pair{&of, &on, X.inverse()}}) {
      const auto derivative = proximity::primitive_derivative(pair, asked(pair));
      EXPECT_EQ(derivative.clamped_count > 0, slides) << X.p.transpose();
      EXPECT_EQ(derivative.status == Status::kClamped, slides) << X.p.transpose();
    }
  };
  const Mat3<double> upright = Mat3<double>::Identity(),
                     on_edge = exp_rotation<double>({std::numbers::pi / 4, 0, 0}),
                     askew = exp_rotation<double>({0.3, 0.4, 0.1});
  for (const auto& [on, top] : {std::pair{&ground, 0.0}, {&table, 0.05}, {&drum, 0.05}})
    for (const double gap : {1e-3, 0.0}) {
      expect(cube, *on, {upright, {0.02, 0.01, top + 0.1 + gap}}, true);
      expect(cube, *on, {on_edge, {0.02, 0.01, top + 0.1 * std::sqrt(2) + gap}}, true);
      double lowest = 0;
      for (int k = 0; k < 8; ++k)
        lowest = std::min(
            lowest, (askew * Vec3<double>(k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, k & 4 ? 0.1 : -0.1)).z());
      if (gap > 0) expect(cube, *on, {askew, {0.02, 0.01, top - lowest + gap}}, false);
    }
}

// The derivative in either order of the bodies, beside differences.
void expect_differences(const Body& A, const Body& B, const Pose<double>& X_AB, double size) {
  for (const Pair& pair : {Pair{&A, &B, X_AB}, Pair{&B, &A, X_AB.inverse()}}) {
    const auto query = [&](const Pose<double>& X) { return asked({pair.A, pair.B, X}).witness; };
    const SurfaceWitness found = asked(pair);
    const auto d = proximity::primitive_derivative(pair, found);
    const auto e =
        derivative::central_differences<double>(found.witness, pair.X_AB, 1e-6, 1e-6 * size, query);
    EXPECT_EQ(d.status, Status::kOk);
    EXPECT_LT((d.dd_dxi_B - e.dd_dxi_B).norm(), 1e-5);
    EXPECT_LT((d.dp1_A_dxi_B - e.dp1_A_dxi_B).norm(), 1e-5);
    EXPECT_LT((d.dp2_A_dxi_B - e.dp2_A_dxi_B).norm(), 1e-5);
    EXPECT_LT((d.dn_A_dxi_B - e.dn_A_dxi_B).norm() * size, 1e-5);
  }
}

// Where the surface goes straight on, the triangles that it is made of do not matter: over a diagonal, over a
// vertex within a face and over one on a straight edge. The deepest point of a ball is exact, that of an
// ellipsoid is not.
TEST(PrimitiveOnSurface, TrianglesOfAFlatFaceDoNotMatter) {
  const body::Primitive shapes[] = {body::Sphere<double>{0.04}, body::Ellipsoid<double>{{0.05, 0.045, 0.04}}};
  for (int i = 0; i < 3; ++i) {
    Random random(98, i);
    const Mat3<double> R =
        i == 0 ? Mat3<double>(Mat3<double>::Identity()) : exp_rotation<double>(test::normal_vector(random));
    preprocess::TriangleMesh mesh = test::subdivided(test::box(0.1, 0.1, 0.1), i % 3);
    for (auto& v : mesh.vertices) v = R * v;
    const Body cube = body_of_surface(preprocess::build_surface(mesh));
    for (const body::Primitive& shape : shapes) {
      const Body P{body::Geometry(shape)};
      const auto expect = [&](const Vec3<double>& p, const Vec3<double>& n, double gap) {
        SCOPED_TRACE(testing::Message()
                     << i << " " << shape.index() << " p " << p.transpose() << " gap " << gap);
        const Mat3<double> up = shortest_rotation<double>(Vec3<double>::UnitZ(), n);
        expect_differences(cube, P, {R * up, R * (p + (0.04 + gap) * n)}, 0.1);
      };
      for (const double gap : {0.02, -1e-3})
        for (const Vec3<double>& p :
             {Vec3<double>(0, 0, 0.05), {0.0125, 0.0125, 0.05}, {0.0125, -0.0125, 0.05}})
          if (gap > 0 || &shape == shapes) expect(p, Vec3<double>::UnitZ(), gap);
      expect({0.05, 0, 0.05}, Vec3<double>(1, 0, 1).normalized(), 0.02);
    }
  }
}

// Spheres far smaller than the object that its corner overlaps have the derivatives of large ones.
TEST(PrimitiveOnSurface, SmallPrimitivesHaveDerivatives) {
  const Body cube = body_of_surface(preprocess::build_surface(test::box(0.1, 0.1, 0.1)));
  const Vec3<double> diagonal = Vec3<double>(1, 1, 1).normalized();
  for (const double radius : {1e-2, 1e-3, 1e-4, 1e-5, 8e-6, 1e-6, 1e-7}) {
    SCOPED_TRACE(radius);
    const Body ball{body::Geometry(body::Sphere<double>{radius})};
    const Pose<double> X{Mat3<double>::Identity(), Vec3<double>::Constant(0.05) + radius / 2 * diagonal};
    for (const Pair& pair : {Pair{&cube, &ball, X}, Pair{&ball, &cube, X.inverse()}}) {
      const SurfaceWitness found = asked(pair);
      EXPECT_NEAR(found.witness.distance / radius, -0.5, 1e-8);
      const auto d = proximity::primitive_derivative(pair, found);
      EXPECT_EQ(d.status, Status::kOk);
      EXPECT_NEAR(d.dn_A_dxi_B.rightCols<3>().norm() * radius / 2, std::sqrt(2),
                  1e-6);  // a corner and a ball
    }
  }
}

}  // namespace
