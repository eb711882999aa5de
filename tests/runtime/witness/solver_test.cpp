#include "runtime/witness/solver.h"

#include <gtest/gtest.h>

#include "tests/runtime/witness/polytopes.h"
#include "tests/support/allocations.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::test;
using abut::witness::Cone;
using abut::witness::Cylinder;
using abut::witness::Ellipsoid;
using abut::witness::separation;
using abut::witness::Sphere;
using abut::witness::Witness;
using abut::witness::WitnessSolver;

using HullSolver = WitnessSolver<double, asset::ConvexView, asset::ConvexView>;
using abut::test::good;

// What a warm answer shares with a cold one: the distance, and bounds that prove it.
void expect_as_cold(const Witness<double>& warm, const Witness<double>& cold) {
  ASSERT_TRUE(good(warm)) << to_string(warm.status);
  ASSERT_NEAR(warm.distance, cold.distance, 1e-13);
  ASSERT_LE(warm.lower_bound, cold.distance + 1e-14);
  ASSERT_GE(warm.upper_bound, cold.distance - 1e-14);
  ASSERT_LE(warm.upper_bound - warm.lower_bound, 1e-12);
  ASSERT_LE((warm.p2 - warm.p1 - warm.distance * warm.n).norm(), 1e-13);
  ASSERT_NEAR(warm.n.norm(), 1, 1e-13);
}

TEST(WitnessSolver, WalksOfEveryStrideAgreeWithColdQueries) {
  Random random(31);
  int deep = 0, apart = 0;
  for (int walk = 0; walk < test::runs(60); ++walk) {
    const asset::ConvexPiece a = round_hull({0.1, 0.06, 0.05}, 4 + walk % 9);
    const asset::ConvexPiece b =
        walk % 3 ? round_hull({0.05, 0.08, 0.04}, 5) : make_hull(box_points({0.05, 0.03, 0.07}));
    HullSolver solver(asset::view(a), asset::view(b));
    const double stride = std::array{1e-6, 1e-4, 1e-3, 1e-2, 0.3}[walk % 5];
    Pose<double> X_AB{random_rotation<double>(random), 0.06 * random_vector(random)};
    for (int i = 0; i < 200; ++i) {
      const Witness<double> cold = separation(asset::view(a), asset::view(b), X_AB);
      expect_as_cold(solver(X_AB), cold);
      ASSERT_FALSE(HasFatalFailure()) << "walk " << walk << " step " << i;
      ++(cold.distance < 0 ? deep : apart);
      Vec6<double> xi;
      xi << stride * random_vector(random), 0.1 * stride * random_vector(random);
      X_AB = X_AB * exp(xi);
      X_AB.p -= 0.02 * X_AB.p;  // stay near
    }
  }
  EXPECT_GT(deep, 1000);
  EXPECT_GT(apart, 1000);
}

// Curved cores, warm and cold alike; sizes are of the order of 0.1.
template <class ShapeA, class ShapeB>
void walk_curved(const ShapeA& A, const ShapeB& B, std::uint64_t seed) {
  Random random(seed);
  WitnessSolver<double, ShapeA, ShapeB> solver(A, B);
  int deep = 0;
  Pose<double> X_AB;
  for (int i = 0; i < test::runs(1200); ++i) {
    const double stride = std::array{1e-6, 1e-4, 1e-3, 1e-2}[i / 300 % 4];
    if (i % 300 == 0) X_AB = {random_rotation<double>(random), 0.04 * random_vector(random)};
    const Witness<double> cold = separation(A, B, X_AB), warm = solver(X_AB);
    ASSERT_TRUE(good(warm) && good(cold)) << i << to_string(warm.status) << to_string(cold.status);
    ASSERT_NEAR(warm.distance, cold.distance, 1e-13) << i;
    ASSERT_LE(warm.lower_bound, cold.upper_bound);
    ASSERT_GE(warm.upper_bound, cold.lower_bound) << i;
    ASSERT_LE(warm.upper_bound - warm.lower_bound, 1e-13);
    ASSERT_LE((warm.p2 - warm.p1 - warm.distance * warm.n).norm(), 1e-13);
    deep += warm.distance < 0;
    Vec6<double> xi;
    xi << stride * random_vector(random), 0.1 * stride * random_vector(random);
    X_AB = X_AB * exp(xi);
  }
  EXPECT_GT(deep, test::runs(1200) / 8);
}

TEST(WitnessSolver, WalksOfCurvedShapesAgreeWithColdQueries) {
  const Ellipsoid<double> long_one{{0.1, 0.06, 0.05}}, flat_one{{0.05, 0.08, 0.02}};
  const asset::ConvexPiece box = make_hull(box_points({0.05, 0.03, 0.07}));
  walk_curved(long_one, flat_one, 41);
  walk_curved(asset::view(box), long_one, 42);
  walk_curved(Cylinder<double>{0.06, 0.05}, flat_one, 43);
  walk_curved(Cone<double>{0.06, 0.05}, asset::view(box), 44);
  walk_curved(Cylinder<double>{0.06, 0.05}, Cone<double>{0.06, 0.05}, 45);
}

// From 1 cm apart to 1 cm deep and back: the distance changes no faster than the bodies move, and while they
// are apart the way from one witness point to the other, which ends at a point of the convex difference set,
// neither. (The points themselves slide along parallel features, and jump in deep overlap.)
TEST(WitnessSolver, ContinuousThroughTouching) {
  Random random(32);
  const asset::ConvexPiece a = round_hull({0.1, 0.06, 0.05}, 9), b = round_hull({0.05, 0.08, 0.04}, 7);
  HullSolver solver(asset::view(a), asset::view(b));
  int apart = 0;
  for (int sweep = 0; sweep < 20; ++sweep) {
    Pose<double> X_AB{random_rotation<double>(random), 0.3 * random_vector(random).normalized()};
    const Vec3<double> toward = solver(X_AB).n;
    X_AB.p -= (solver(X_AB).distance - 0.01) * toward;
    Witness<double> before = solver(X_AB);
    for (int i = 0; i < 400; ++i) {
      const double step = 1e-4 * (i < 200 ? -1 : 1);
      X_AB.p += step * toward;
      const Witness<double> now = solver(X_AB);
      ASSERT_TRUE(good(now));
      EXPECT_LE(std::abs(now.distance - before.distance), 1e-4 + 1e-13) << i;
      if (before.distance > 0 && now.distance > 0) {
        EXPECT_LE(((now.p2 - now.p1) - (before.p2 - before.p1)).norm(), 1e-4 + 1e-13) << i;
        ++apart;
      }
      before = now;
    }
    EXPECT_NEAR(before.distance, 0.01, 1e-3);
  }
  EXPECT_GT(apart, 1000);
}

TEST(WitnessSolver, ShapesThatAreNoHullsAndFlatOnes) {
  Random random(33);
  const asset::ConvexPiece box = make_hull(box_points({0.05, 0.03, 0.07}));
  const asset::ConvexPiece plate = make_hull(box_points({0.05, 0.03, 0.0}));
  WitnessSolver<double, Sphere<double>, asset::ConvexView> with_sphere({0.04}, asset::view(box));
  WitnessSolver<double, Sphere<double>, Sphere<double>> spheres({0.04}, {0.02});
  HullSolver plates(asset::view(plate), asset::view(plate));
  for (int i = 0; i < 2000; ++i) {
    const Pose<double> X_AB{i % 5 ? random_rotation<double>(random) : Mat3<double>::Identity(),
                            (i % 2 ? 0.001 : 0.05) * random_vector(random)};
    expect_as_cold(with_sphere(X_AB), separation(Sphere<double>{0.04}, asset::view(box), X_AB));
    expect_as_cold(spheres(X_AB), separation(Sphere<double>{0.04}, Sphere<double>{0.02}, X_AB));
    expect_as_cold(plates(X_AB), separation(asset::view(plate), asset::view(plate), X_AB));
    ASSERT_FALSE(HasFatalFailure()) << i;
  }
}

TEST(WitnessSolver, AllocatesNothingOnceWarmAndSurvivesBadInput) {
  Random random(34);
  const asset::ConvexPiece a = round_hull({0.1, 0.06, 0.05}, 12), b = round_hull({0.05, 0.08, 0.04}, 9);
  HullSolver solver(asset::view(a), asset::view(b));
  Pose<double> bad;
  bad.p.x() = std::nan("");
  const std::size_t before = allocations();
  for (int i = 0; i < 2000; ++i) {
    const Pose<double> X_AB{random_rotation<double>(random), 0.08 * random_vector(random)};
    ASSERT_TRUE(good(solver(X_AB)));
    if (i % 100 == 0) {
      ASSERT_EQ(solver(bad).status, Status::kInvalidInput);
    }
  }
  EXPECT_EQ(allocations(), before);
}

}  // namespace
