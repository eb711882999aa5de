// Contact points of every kind of primitive: their support functions and exact distances as oracles.
#include <gtest/gtest.h>

#include <sstream>

#include "runtime/body/primitive_distance.h"
#include "runtime/dynamics/collide/convex_contact.h"
#include "runtime/dynamics/collide/primitive_samples.h"
#include "runtime/dynamics/collide/support_feature.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"
#include "runtime/witness/pair_query.h"
#include "tests/runtime/dynamics/collide/placed_primitives.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using test::least_gap, test::placed, test::random_pose;

const body::Primitive kPrimitives[] = {body::Box<double>{{0.03, 0.05, 0.02}},
                                       body::Cylinder<double>{0.01, 0.1},
                                       body::Cylinder<double>{0.05, 0.03},
                                       body::Cone<double>{0.03, 0.05},
                                       body::Cone<double>{0.05, 0.01},
                                       body::Cone<double>{0.002, 0.05},
                                       body::Capsule<double>{0.04, 0.02},
                                       body::Capsule<double>{0, 0.03},
                                       body::Sphere<double>{0.04},
                                       body::Ellipsoid<double>{{0.02, 0.05, 0.03}},
                                       body::Ellipsoid<double>{{0.05, 0.05, 0.005}}};

Vec3<double> random_direction(Random& random) {
  return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
}

// How far the primitive reaches along a unit vector of its frame, m.
double height(const body::Primitive& primitive, const Vec3<double>& d) {
  const witness::Core<double> core = witness::core_of(body::Geometry(primitive));
  return witness::core_support(core, d).point.dot(d) + core.swept_radius();
}

TEST(PrimitiveContact, BoundsHoldThePrimitive) {
  Random random(1);
  for (const body::Primitive& primitive : kPrimitives) {
    SCOPED_TRACE(body::row_of(primitive).name);
    for (int k = 0; k < test::runs(300); ++k) {
      const PlacedShape shape = placed(primitive, random_pose(random, 0.1));
      for (int axis = 0; axis < 3; ++axis) {
        const Vec3<double> d = shape.X_WS.R.row(axis).transpose();
        const double high = shape.X_WS.p[axis] + height(primitive, d),
                     low = shape.X_WS.p[axis] - height(primitive, -d);
        EXPECT_GT(shape.bounds.high[axis], high - 1e-15);
        EXPECT_LT(shape.bounds.low[axis], low + 1e-15);
        if (shape.kind == ShapeKind::kRims) continue;
        EXPECT_LT(shape.bounds.high[axis], high + 1e-15);
        EXPECT_GT(shape.bounds.low[axis], low - 1e-15);
      }
    }
  }
}

TEST(PrimitiveContact, FacingFeaturesHoldTheSupportPoint) {
  Random random(2);
  for (const body::Primitive& primitive : kPrimitives) {
    SCOPED_TRACE(body::row_of(primitive).name);
    for (int k = 0; k < test::runs(1000); ++k) {
      const PlacedShape shape = placed(primitive, random_pose(random, 0.1));
      Vec3<double> d = random_direction(random);
      if (k < 6) d = shape.X_WS.R.col(k / 2) * (k % 2 == 0 ? 1 : -1);
      const SupportFeature feature = facing_feature(shape, d);
      const Vec3<double> of_S = shape.X_WS.R.transpose() * d;
      double highest = -1;
      for (int i = 0; i < feature.size; ++i) {
        const Vec3<double> p = shape.X_WS.inverse() * feature.corner[i];
        const double outside = body::primitive_value<double>(primitive, p);  // of a capsule's far end inside
        EXPECT_LT(outside, 1e-15);
        if (shape.kind != ShapeKind::kSegment) {
          EXPECT_GT(outside, -1e-15);
        }
        highest = std::max(highest, of_S.dot(p));
      }
      EXPECT_NEAR(highest, height(primitive, of_S), 1e-15);
    }
  }
}

TEST(PrimitiveContact, OfAPlaneHasTheLowestPoint) {
  Random random(3);
  const PlacedShape plane = placed(body::HalfSpace<double>{});
  for (const body::Primitive& primitive : kPrimitives) {
    SCOPED_TRACE(body::row_of(primitive).name);
    for (int k = 0; k < test::runs(300); ++k) {
      const PlacedShape shape = placed(primitive, random_pose(random, 0.05));
      std::vector<SurfacePoint> points;
      plane_points(plane, shape, 1, ContactSampling::kVertex, points);
      const Vec3<double> down = -shape.X_WS.R.row(2).transpose();
      EXPECT_NEAR(least_gap(points), shape.X_WS.p.z() - height(primitive, down), 1e-15);
    }
  }
}

// Also what touches a cap between the corners that represent its rim.
TEST(PrimitiveContact, OfEveryPairHasTheNearest) {
  Random random(4);
  witness::Workspace<double> workspace;
  for (const body::Primitive& a : kPrimitives) {
    for (const body::Primitive& b : kPrimitives) {
      SCOPED_TRACE(std::string(body::row_of(a).name) + " and " + std::string(body::row_of(b).name));
      const body::Geometry of_A(a), of_B(b);
      for (int k = 0; k < test::runs(300); ++k) {
        Pose<double> X = random_pose(random, 0.1);
        for (int i = 0; i < 2; ++i) {
          const auto apart = witness::separation(of_A, of_B, X, workspace);
          X.p -= apart.distance * apart.n;
        }
        const PlacedShape A = placed(a), B = placed(b, X);
        std::vector<SurfacePoint> points;
        witness_points(A, B, 0.02, workspace, points);
        EXPECT_LT(least_gap(points) - witness::separation(of_A, of_B, X, workspace).distance,
                  1.1e-3 * std::min(A.half.norm(), B.half.norm()))
            << k;
      }
    }
  }
}

TEST(PrimitiveContact, WhatLiesTouchesAlongItsLength) {
  witness::Workspace<double> workspace;
  const PlacedShape table = placed(body::Box<double>{{1, 1, 0.1}});
  const auto points_at = [&](const body::Primitive& primitive, const Vec3<double>& turn, double z) {
    std::vector<SurfacePoint> points;
    witness_points(table, placed(primitive, {exp_rotation<double>(turn), {0, 0, z}}), 0.01, workspace,
                   points);
    return points;
  };
  const auto lying = points_at(body::Capsule<double>{0.3, 0.05}, {M_PI / 2, 0, 0}, 0.149);
  ASSERT_EQ(lying.size(), 2U);
  EXPECT_NEAR((lying[0].p_W - lying[1].p_W).norm(), 0.6, 1e-12);
  for (const SurfacePoint& point : lying) EXPECT_NEAR(point.gap, -0.001, 1e-12);
  const auto standing = points_at(body::Cone<double>{0.3, 0.2}, {0, 0, 0}, 0.399);
  EXPECT_EQ(standing.size(), 8U);
  for (const SurfacePoint& point : standing) EXPECT_NEAR(point.gap, -0.001, 1e-9);
  // On its side: the axis is tilted by the angle between it and the generators.
  const double slope = std::atan2(0.2, 0.6);
  const auto on_side =
      points_at(body::Cone<double>{0.3, 0.2}, {M_PI / 2 + slope, 0, 0}, 0.1 - 0.001 + 0.3 * std::sin(slope));
  ASSERT_EQ(on_side.size(), 2U);
  EXPECT_NEAR((on_side[0].p_W - on_side[1].p_W).norm(), std::hypot(0.6, 0.2), 1e-9);
  for (const SurfacePoint& point : on_side) EXPECT_NEAR(point.gap, -0.001, 1e-9);
  // Two capsules that lie along one another, and two that cross.
  const PlacedShape capsule = placed(body::Capsule<double>{0.3, 0.05});
  for (const bool crossed : {false, true}) {
    std::vector<SurfacePoint> points;
    const Mat3<double> R = exp_rotation<double>({0, crossed ? 0.5 : 0.0, 0});
    witness_points(capsule, placed(body::Capsule<double>{0.3, 0.05}, {R, {0, 0.099, 0.1}}), 0.01, workspace,
                   points);
    ASSERT_EQ(points.size(), crossed ? 1U : 2U);
    for (const SurfacePoint& point : points) EXPECT_NEAR(point.gap, -0.001, 1e-12);
    if (!crossed) {
      EXPECT_NEAR((points[0].p_W - points[1].p_W).norm(), 0.5, 1e-12);
    }
  }
}

// Ends that are nearer than solvers resolve are one contact, at the end that is lower.
TEST(PrimitiveContact, ShortCapsulesTouchInOnePoint) {
  witness::Workspace<double> workspace;
  const Mat3<double> R = exp_rotation<double>({0, 1, 0});
  for (const double half : {0.0, 1e-12, 1e-9, 1e-7, 1e-2}) {
    const PlacedShape capsule = placed(body::Capsule<double>{half, 0.05}, {R, {0, 0, 0.049}});
    std::vector<SurfacePoint> on_plane, on_box;
    plane_points(placed(body::HalfSpace<double>{}), capsule, 0.1, ContactSampling::kVertex, on_plane);
    witness_points(placed(body::Box<double>{{1, 1, 1}}, {Mat3<double>::Identity(), {0, 0, -1}}), capsule, 0.1,
                   workspace, on_box);
    for (const std::vector<SurfacePoint>* points : {&on_plane, &on_box}) {
      EXPECT_EQ(points->size(), half < 1e-6 * 0.05 ? 1U : 2U) << half;
      EXPECT_NEAR(least_gap(*points), -0.001 - half * std::cos(1), 1e-15) << half;
    }
  }
}

// Balls lie within the primitive and reach its surface; those of ellipsoids and capsules fill it.
TEST(PrimitiveContact, SamplesFillThePrimitive) {
  Random random(5);
  for (const body::Primitive& primitive : kPrimitives) {
    SCOPED_TRACE(body::row_of(primitive).name);
    const PlacedShape shape = placed(primitive);
    const std::int32_t count = samples_of_core(shape.core);
    std::vector<Ball> balls;
    for (std::int32_t k = 0; k < count; ++k) {
      balls.push_back(sample_of_core(shape.core, k));
      EXPECT_NEAR(body::primitive_value<double>(primitive, balls.back().center), -balls.back().radius, 1e-12)
          << k;
    }
    const bool filled = smooth(shape) || shape.kind == ShapeKind::kSegment;
    for (int k = 0; k < test::runs(1000); ++k) {
      const Vec3<double> d = random_direction(random);
      double highest = -1;
      for (const Ball& ball : balls) highest = std::max(highest, d.dot(ball.center) + ball.radius);
      const double reach = height(primitive, d);
      EXPECT_LT(highest, reach + 1e-15);
      if (filled) {
        EXPECT_GT(highest, reach - 0.005 * shape.half.maxCoeff());
      }
    }
  }
}

std::string at_place(const std::string& shape) {
  return "gravity 0 0 -9.81\nmu 0.3\nrestitution 0.5\nplane 0 0 1 0\nplane -0.6 0 0.8 0.3\nbody b 0.5 2e-4 "
         "2e-4 "
         "2e-4 0 0 0.2 1 0 0 0 1 0.3 0 3 -2 8 1\n" +
         shape + " 0 0 0 1 0 0 0\nmaterial patch 0.002\n";
}

// An ellipsoid and a capsule that are balls move as one, on planes, off a wall and with rolling friction.
TEST(PrimitiveContact, BallsByAnyNameMoveTheSame) {
  const auto end = [](const std::string& shape) {
    std::istringstream in(at_place(shape));
    Simulation simulation(read_scene(in, "test", test::no_asset));
    for (int k = 0; k < 1000; ++k) simulation.step();
    return simulation.states()[0];
  };
  const BodyState ball = end("sphere 0.05");
  for (const char* shape : {"ellipsoid 0.05 0.05 0.05", "capsule 0.05 0"}) {
    const BodyState other = end(shape);
    EXPECT_LT((other.p_WB - ball.p_WB).norm(), 1e-8) << shape;
    EXPECT_LT((other.v_WB - ball.v_WB).norm(), 1e-8) << shape;
  }
}

}  // namespace
