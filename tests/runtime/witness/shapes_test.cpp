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

TEST(Shapes, BadLengthsGiveNaNAndAStatus) {
  const Box<double> box{{0.05, 0.03, 0.07}};
  const Pose<double> X_AB;
  const double nan = std::nan("");
  EXPECT_EQ(separation(Box<double>{{0, 1, 1}}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Box<double>{{nan, 1, 1}}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Capsule<double>{-1, 1}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Capsule<double>{1, nan}, box, X_AB).status, Status::kInvalidInput);
  EXPECT_EQ(separation(Swept<double, Box<double>>{box, -1}, box, X_AB).status, Status::kInvalidInput);
}

}  // namespace
