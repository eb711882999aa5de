#include "runtime/witness/shapes.h"

#include <gtest/gtest.h>

#include "runtime/witness/solver.h"
#include "tests/runtime/witness/polytopes.h"

// Pairs of closed-form shapes: the distance is the height of the two support functions at n, no other
// direction gives more, and the witness points lie on the supporting planes. A warm solver agrees.
namespace {

using namespace abut;
using namespace abut::test;
using namespace abut::witness;

template <class ShapeA, class ShapeB>
void expect_right(const ShapeA& A, const ShapeB& B, std::uint64_t seed) {
  Random random(seed);
  WitnessSolver<double, ShapeA, ShapeB> solver(A, B);
  for (int i = 0; i < 400; ++i) {
    const Pose<double> X_AB{i % 4 ? random_rotation<double>(random) : Mat3<double>::Identity(),
                            (i % 3 ? 0.05 : 0.2) * random_vector(random)};
    const Witness<double> w = separation(A, B, X_AB);
    ASSERT_TRUE(w.status == Status::kOk || w.status == Status::kTouching) << i << to_string(w.status);
    const auto g = [&](const Vec3<double>& n) {
      const Vec3<double> m = -(X_AB.R.transpose() * n);
      return n.dot(X_AB * support(B, m).point - support(A, n).point);
    };
    const double tolerance = 1e-14;
    ASSERT_NEAR(g(w.n), w.distance, tolerance) << i;
    ASSERT_NEAR(w.n.norm(), 1, tolerance);
    ASSERT_LE((w.p2 - w.p1 - w.distance * w.n).norm(), tolerance);
    ASSERT_NEAR(w.n.dot(w.p1), w.n.dot(support(A, w.n).point), tolerance);
    for (int k = 0; k < 30; ++k) {
      const Vec3<double> n = random_vector(random).normalized(), near = (w.n + 0.01 * n).normalized();
      ASSERT_LE(g(n), w.distance + tolerance);
      ASSERT_LE(g(near), w.distance + tolerance);
    }
    const Witness<double> warm = solver(X_AB);
    ASSERT_NEAR(warm.distance, w.distance, tolerance);
    const Witness<double> swapped = separation(B, A, X_AB.inverse());
    ASSERT_NEAR(swapped.distance, w.distance, tolerance);
  }
}

TEST(Shapes, EveryPairIsOptimal) {
  const asset::ConvexPiece piece = round_hull({0.05, 0.08, 0.04}, 5);
  const asset::ConvexView hull = asset::view(piece);
  const Box<double> box{{0.05, 0.03, 0.07}};
  const Capsule<double> capsule{0.06, 0.02};
  const Swept<double, Box<double>> rounded{{{0.02, 0.03, 0.04}}, 0.01};
  const Swept<double, asset::ConvexView> swept{hull, 0.015};
  const Sphere<double> sphere{0.04};
  expect_right(box, box, 1);
  expect_right(box, capsule, 2);
  expect_right(capsule, capsule, 3);
  expect_right(hull, box, 4);
  expect_right(capsule, hull, 5);
  expect_right(rounded, rounded, 6);
  expect_right(swept, capsule, 7);
  expect_right(swept, sphere, 8);
  expect_right(sphere, capsule, 9);
  expect_right(Swept<double, Sphere<double>>{sphere, 0.01}, rounded, 10);
}

TEST(Shapes, CylindersAndConesAreOptimal) {
  const asset::ConvexPiece piece = round_hull({0.05, 0.08, 0.04}, 5);
  const asset::ConvexView hull = asset::view(piece);
  const Cylinder<double> cylinder{0.06, 0.03}, flat{0.01, 0.08};
  const Cone<double> cone{0.05, 0.04};
  const Box<double> box{{0.05, 0.03, 0.07}};
  const Swept<double, Cone<double>> blunt{cone, 0.01};
  expect_right(cylinder, flat, 21);
  expect_right(cylinder, box, 22);
  expect_right(hull, cylinder, 23);
  expect_right(cone, flat, 24);
  expect_right(cone, cone, 25);
  expect_right(blunt, box, 26);
  expect_right(hull, cone, 27);
  expect_right(cylinder, Ellipsoid<double>{{0.05, 0.08, 0.04}}, 28);
  expect_right(cylinder, Capsule<double>{0.06, 0.02}, 29);
  expect_right(Sphere<double>{0.04}, blunt, 30);
}

// Parallel axes: the gap is the distance of the axes less the radii, wherever the witness lies along them.
TEST(Shapes, ParallelCapsulesInClosedForm) {
  const Capsule<double> A{0.1, 0.02}, B{0.05, 0.03};
  for (const double gap : {0.3, 1e-3, 0.0, -1e-3, -0.04}) {
    Pose<double> X_AB;
    X_AB.p = {0.05 + gap, 0, 0.08};
    const Witness<double> w = separation(A, B, X_AB);
    EXPECT_NEAR(w.distance, gap, 1e-15);
    EXPECT_LT((w.n - Vec3<double>::UnitX()).norm(), 1e-14);
    EXPECT_TRUE(w.p1.z() <= 0.1 + 1e-15 && w.p1.z() >= 0.03 - 1e-15);
  }
}

// Discs, sides and slopes on one another, where the witness points are not unique.
TEST(Shapes, CylindersAndConesInClosedForm) {
  const Cylinder<double> cylinder{0.1, 0.04};
  const Cone<double> cone{0.05, 0.03};
  const Box<double> box{{0.2, 0.3, 0.05}};
  const Mat3<double> lying = exp_rotation<double>({0, std::acos(-1.0) / 2, 0}),
                     over = exp_rotation<double>({std::acos(-1.0), 0, 0});
  for (const double gap : {0.3, 1e-3, 1e-9, 0.0, -1e-9, -1e-3, -0.02}) {
    const auto expect_gap = [&](const auto& A, const auto& B, const Pose<double>& X_AB, const char* what) {
      const Witness<double> w = separation(A, B, X_AB);
      EXPECT_NEAR(w.distance, gap, 1e-15) << what;
      EXPECT_LT((w.n - Vec3<double>::UnitZ()).norm(), 1e-13) << what << " " << gap;
      EXPECT_LT((w.p2 - w.p1 - w.distance * w.n).norm(), 1e-15);
      EXPECT_TRUE(w.status == Status::kOk || w.status == Status::kTouching) << what << " " << gap;
      EXPECT_LE(w.lower_bound, gap + 1e-15);
      EXPECT_GE(w.upper_bound, gap - 1e-15);
      EXPECT_LE(w.upper_bound - w.lower_bound, 1e-13) << what << " " << gap;
    };
    const auto at = [&](double z) { return Vec3<double>(0.013, -0.02, z + gap); };
    expect_gap(box, cylinder, {Mat3<double>::Identity(), at(0.15)}, "standing on a box");
    expect_gap(box, cylinder, {lying, at(0.09)}, "lying on a box");
    expect_gap(cylinder, cylinder, {Mat3<double>::Identity(), at(0.2)}, "disc on disc");
    expect_gap(cylinder, cylinder, {lying, at(0.14)}, "side on disc");
    expect_gap(box, cone, {Mat3<double>::Identity(), at(0.1)}, "cone standing on a box");
    expect_gap(cylinder, cone, {over, at(0.15)}, "apex on disc");
    if (gap >= 1e-3) expect_gap(cone, cone, {over, {0, 0, 0.1 + gap}}, "apex on apex");
    expect_gap(HalfSpace<double>{}, cylinder, {lying, at(0.04)}, "lying on a half-space");
    expect_gap(HalfSpace<double>{}, Swept<double, Cone<double>>{cone, 0.01}, {over, at(0.06)},
               "apex on a half-space");
  }
  // crossed cylinders: the gap of the axes less the radii
  const Pose<double> X_AB{exp_rotation<double>({0.7, 0, 0}), {0.3, 0, 0}};
  const Witness<double> w = separation(cylinder, cylinder, X_AB);
  EXPECT_NEAR(w.distance, 0.22, 1e-15);
  EXPECT_LT((w.p1 - Vec3<double>(0.04, 0, 0)).norm(), 1e-15);
}

// Far less than the rounding of the body's own size above the plane, whichever body the half-space is.
TEST(Shapes, HalfSpacesTouchInEitherOrder) {
  const Cylinder<double> cylinder{0.3, 0.1};
  const Pose<double> X_AB{Mat3<double>::Identity(), {0, 0, 0.30000000000000004}};
  for (const Witness<double>& w : {separation(HalfSpace<double>{}, cylinder, X_AB),
                                   separation(cylinder, HalfSpace<double>{}, X_AB.inverse())}) {
    EXPECT_EQ(w.status, Status::kTouching);
    EXPECT_TRUE(w.lower_bound < 0 && w.upper_bound > 0);
  }
}

// A half-space on either side, against every kind of shape.
TEST(Shapes, HalfSpaceAsksForTheLowestPoint) {
  const asset::ConvexPiece piece = round_hull({0.05, 0.08, 0.04}, 5);
  Random random(12);
  const auto expect_lowest = [&](const auto& B) {
    const Swept<double, HalfSpace<double>> A{{}, 0.003};
    WitnessSolver<double, Swept<double, HalfSpace<double>>, std::remove_cvref_t<decltype(B)>> solver(A, B);
    for (int i = 0; i < 100; ++i) {
      const Pose<double> X_AB{random_rotation<double>(random), 0.1 * random_vector(random)};
      const Vec3<double> low = X_AB * support(B, Vec3<double>(-X_AB.R.row(2).transpose())).point;
      for (const Witness<double>& w : {separation(A, B, X_AB), solver(X_AB)}) {
        EXPECT_EQ(w.status, Status::kOk);
        EXPECT_NEAR(w.distance, low.z() - 0.003, 1e-15);
        EXPECT_LT((w.p2 - low).norm(), 1e-15);
        EXPECT_NEAR(w.p1.z(), 0.003, 1e-15);
        EXPECT_TRUE(w.lower_bound <= w.distance && w.distance <= w.upper_bound);
      }
      const Witness<double> swapped = separation(B, A, X_AB.inverse());
      EXPECT_NEAR(swapped.distance, low.z() - 0.003, 1e-15);
      EXPECT_LT((X_AB * swapped.p1 - low).norm(), 1e-15);
    }
  };
  expect_lowest(asset::view(piece));
  expect_lowest(Sphere<double>{0.04});
  expect_lowest(Ellipsoid<double>{{0.05, 0.08, 0.04}});
  expect_lowest(Box<double>{{0.05, 0.03, 0.07}});
  expect_lowest(Capsule<double>{0.06, 0.02});
  expect_lowest(Cylinder<double>{0.06, 0.03});
  expect_lowest(Swept<double, Cone<double>>{{0.06, 0.03}, 0.01});
}

TEST(Shapes, BadLengthsGiveNaNAndAStatus) {
  const Box<double> box{{0.05, 0.03, 0.07}};
  const Pose<double> X_AB;
  const double nan = std::nan("");
  EXPECT_EQ(separation(Box<double>{{0, 1, 1}}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Box<double>{{nan, 1, 1}}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Capsule<double>{-1, 1}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Capsule<double>{1, nan}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Cylinder<double>{0, 1}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(box, Cylinder<double>{1, nan}, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Cone<double>{1, -1}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Cone<double>{nan, 1}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(HalfSpace<double>{}, Box<double>{{0, 1, 1}}, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Swept<double, HalfSpace<double>>{{}, -1}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Swept<double, Box<double>>{box, -1}, box, X_AB).status, Status::kInvalidInput);
}

}  // namespace
