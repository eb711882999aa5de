#include <gtest/gtest.h>

#include "runtime/witness/solver.h"
#include "tests/runtime/witness/curved_oracle.h"
#include "tests/support/runs.h"

// Pairs of primitives against searches in extended precision and against closed forms where a pose is
// degenerate; exchanged, in other frames, at all sizes.
namespace {

using namespace abut;
using namespace abut::test;
using namespace abut::witness;

template <class S>
bool answered(const Witness<S>& w) {
  return w.status == Status::kOk || w.status == Status::kTouching;
}

// Right to 1e-12 of the size: no direction gives more, both points are in their bodies and differ by d n.
template <class A, class B>
void expect_right(const A& a, const B& b, const Pose<double>& X_AB, const Witness<double>& w) {
  const CurvedOracle<A, B> oracle{a, b, X_AB.cast<Long>()};
  const double size = std::max(Kind<A>::size(a) + Kind<B>::size(b), X_AB.p.norm()), tolerance = 1e-12 * size;
  ASSERT_TRUE(answered(w)) << to_string(w.status);
  const LVec n = w.n.cast<Long>(), p1 = w.p1.cast<Long>(), p2 = w.p2.cast<Long>();
  ASSERT_NEAR(w.n.norm(), 1, 1e-14);
  ASSERT_NEAR(oracle.g(n.normalized()), w.distance, tolerance);
  ASSERT_GE(w.distance + tolerance, oracle.climb(n.normalized(), 1e-7L));
  ASSERT_GE(w.distance + tolerance, oracle.distance());
  ASSERT_TRUE(w.lower_bound <= w.distance && w.distance <= w.upper_bound);
  ASSERT_LE(w.upper_bound - w.lower_bound, tolerance);
  ASSERT_LE((p2 - p1 - Long(w.distance) * n).norm(), tolerance);
  ASSERT_LE(Kind<A>::outside(a, p1), tolerance);
  ASSERT_LE(Kind<B>::outside(b, oracle.X_AB.R.transpose() * (p2 - oracle.X_AB.p)), tolerance);
}

// Random; with parallel axes; about one centre; along an axis; on a face or an axis; far away.
template <class A, class B>
Pose<double> pose_of_kind(const A& a, const B& b, int kind, Random& random) {
  const double size = Kind<A>::size(a) + Kind<B>::size(b);
  Pose<double> X{random_rotation<double>(random),
                 log_uniform(random, 0.01, 3) * size * random_vector(random)};
  const auto quarter = [&] { return std::acos(-1.0) / 2 * static_cast<double>(random.below(4)); };
  if (kind % 6 == 1) X.R = exp_rotation<double>({quarter(), 0, 0});
  if (kind % 6 == 2) X.p.setZero();
  if (kind % 6 == 3) X.p.head<2>().setZero();
  if (kind % 6 == 4) X.p[static_cast<Eigen::Index>(random.below(3))] = 0;
  if (kind % 6 == 5) X.p *= 1e3;
  return X;
}

template <class A, class B>
void expect_right_everywhere(int count, std::uint64_t seed, bool overlaps_may_stay_open) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const A a = Kind<A>::random(random, 0.05);
    const B b = Kind<B>::random(random, 0.05);
    const Pose<double> X_AB = pose_of_kind(a, b, i, random);
    const Witness<double> w = separation(a, b, X_AB), swapped = separation(b, a, X_AB.inverse());
    if (overlaps_may_stay_open && !answered(w)) continue;
    SCOPED_TRACE(i);
    expect_right(a, b, X_AB, w);
    if (testing::Test::HasFatalFailure()) return;
    const double scale = std::max(Kind<A>::size(a) + Kind<B>::size(b), X_AB.p.norm());
    if (answered(swapped)) {
      ASSERT_NEAR(swapped.distance, w.distance, 1e-12 * scale);
    }
    const Witness<Long> wide = witness::detail::separate_cores<Long>(
        Core<double>(a).template cast<Long>(), Core<double>(b).template cast<Long>(), X_AB.cast<Long>(),
        witness::detail::thread_workspace<Long>(), Vec3<Long>::Zero());
    if (answered(wide)) {
      ASSERT_NEAR(static_cast<double>(wide.distance), w.distance, 1e-12 * scale);
    }
  }
}

TEST(Primitives, SpheresWithEverything) {
  expect_right_everywhere<Sphere<double>, Sphere<double>>(runs(60), 1, false);
  expect_right_everywhere<Sphere<double>, Capsule<double>>(runs(60), 2, false);
  expect_right_everywhere<Box<double>, Sphere<double>>(runs(60), 3, false);
  expect_right_everywhere<Sphere<double>, Cylinder<double>>(runs(60), 4, false);
  expect_right_everywhere<Cone<double>, Sphere<double>>(runs(60), 5, false);
  expect_right_everywhere<Swept<double, Cone<double>>, Sphere<double>>(runs(60), 6, false);
  expect_right_everywhere<Capsule<double>, Capsule<double>>(runs(120), 7, false);
}

TEST(Primitives, IteratedPairs) {
  expect_right_everywhere<Sphere<double>, Ellipsoid<double>>(runs(48), 11, true);
  expect_right_everywhere<Ellipsoid<double>, Ellipsoid<double>>(runs(48), 12, true);
  expect_right_everywhere<Capsule<double>, Cylinder<double>>(runs(48), 13, true);
  expect_right_everywhere<Cone<double>, Capsule<double>>(runs(48), 14, true);
  expect_right_everywhere<Box<double>, Cylinder<double>>(runs(48), 15, true);
  expect_right_everywhere<Cone<double>, Cylinder<double>>(runs(48), 16, true);
  expect_right_everywhere<Cylinder<double>, Ellipsoid<double>>(runs(48), 17, true);
  expect_right_everywhere<Box<double>, Ellipsoid<double>>(runs(48), 18, true);
}

// A point on the axis, at the centre and on the surface of what it meets: deterministic, the same both ways.
TEST(Primitives, SphereOnAxesCentresAndSurfaces) {
  const Cylinder<double> flat{0.01, 0.08}, slim{0.06, 0.02};
  const Cone<double> cone{0.05, 0.04};
  const Sphere<double> ball{0.03};
  const auto at = [](double x, double y, double z) {
    return Pose<double>{Mat3<double>::Identity(), {x, y, z}};
  };
  EXPECT_NEAR(separation(flat, ball, at(0, 0, 0)).distance, -0.04, 1e-16);
  EXPECT_NEAR(separation(slim, ball, at(0, 0, 0)).distance, -0.05, 1e-16);
  EXPECT_NEAR(separation(slim, ball, at(0, 0, 0.06)).distance, -0.03, 1e-16);
  EXPECT_NEAR(separation(slim, ball, at(0.02, 0, 0.06)).distance, -0.03, 1e-16);
  EXPECT_NEAR(separation(cone, ball, at(0, 0, 0.05)).distance, -0.03, 1e-16);  // the apex
  EXPECT_NEAR(separation(cone, ball, at(0, 0, 0.08)).distance, 0, 1e-16);
  EXPECT_EQ(separation(cone, ball, at(0, 0, 0.08)).status, Status::kTouching);
  for (const double z : {-0.05, -0.03, 0.0, 0.02, 0.05, 0.1}) {
    const Witness<double> w = separation(cone, ball, at(0, 0, z)),
                          again = separation(cone, ball, at(0, 0, z));
    ASSERT_TRUE(answered(w)) << z;
    EXPECT_EQ(w.n, again.n);
    EXPECT_EQ(w.p1, again.p1);
    EXPECT_NEAR(separation(ball, cone, at(0, 0, -z)).distance, w.distance, 1e-16);
  }
}

// Capsules without length are spheres; parallel, crossing and collinear axes.
TEST(Primitives, CapsulesInDegeneratePoses) {
  const Capsule<double> capsule{0.06, 0.02}, dot{0, 0.03};
  const Mat3<double> upright = Mat3<double>::Identity(),
                     lying = exp_rotation<double>({0, std::acos(-1.0) / 2, 0});
  EXPECT_NEAR(separation<double>(dot, dot, {upright, {0.1, 0, 0}}).distance, 0.04, 1e-16);
  EXPECT_NEAR(separation<double>(capsule, dot, {lying, {0, 0.1, 0.02}}).distance, 0.05, 1e-16);
  EXPECT_NEAR(separation<double>(capsule, capsule, {upright, {0, 0, 0}}).distance, -0.04, 1e-16);
  EXPECT_NEAR(separation<double>(capsule, capsule, {upright, {0, 0, 0.05}}).distance, -0.04, 1e-16);
  EXPECT_NEAR(separation<double>(capsule, capsule, {upright, {0, 0, 0.2}}).distance, 0.04, 1e-16);
  EXPECT_NEAR(separation<double>(capsule, capsule, {lying, {0, 0, 0}}).distance, -0.04, 1e-16);
  EXPECT_NEAR(separation<double>(capsule, capsule, {lying, {0, 1e-13, 0}}).distance, -0.04 + 1e-13, 1e-17);
  for (const double tilt : {1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4}) {
    const Pose<double> X{exp_rotation<double>({tilt, 0, 0}), {0.05, 0, 0.01}};
    const Witness<double> w = separation(capsule, capsule, X);
    ASSERT_TRUE(answered(w)) << tilt;
    EXPECT_NEAR(w.distance, 0.01, 1e-15) << tilt;
    EXPECT_LT(w.upper_bound - w.lower_bound, 1e-14) << tilt;
  }
}

// From micrometres to thousands of kilometres, one body up to 1e6 times the other, and far away.
TEST(Primitives, SizesAndDistances) {
  Random random(21);
  for (int i = 0; i < 300; ++i) {
    const double a = log_uniform(random, 1e-6, 1e6), b = i % 2 ? a : log_uniform(random, 1e-6, 1e6);
    const Pose<double> X{random_rotation<double>(random),
                         log_uniform(random, 0.5, 5) * (a + b) * random_vector(random).normalized()};
    const Capsule<double> capsule{a, a / 3};
    const Cylinder<double> cylinder{b, b / 2};
    const Sphere<double> sphere{a};
    const Ellipsoid<double> ellipsoid{{a, a / 2, a / 3}};
    for (const auto& w : {separation(sphere, cylinder, X), separation(capsule, Capsule<double>{b, b}, X),
                          separation(capsule, cylinder, X), separation(ellipsoid, cylinder, X)}) {
      if (w.distance < 0 && w.status == Status::kNotConverged) continue;  // an open overlap
      ASSERT_TRUE(answered(w)) << i;
      ASSERT_LE(w.upper_bound - w.lower_bound, 1e-12 * (a + b + X.p.norm()));
    }
  }
  for (const double far : {1e70, 1e100, 1e155, 1e200, 1e300}) {
    const Pose<double> X{Mat3<double>::Identity(), far * Vec3<double>(1, -2, 2) / 3};
    for (const auto& w : {separation(Sphere<double>{0.1}, Cylinder<double>{0.1, 0.2}, X),
                          separation(Capsule<double>{0.1, 0.1}, Capsule<double>{0.1, 0.2}, X),
                          separation(Cone<double>{0.1, 0.1}, Cylinder<double>{0.1, 0.2}, X),
                          separation(Ellipsoid<double>{{0.1, 0.2, 0.3}}, Sphere<double>{0.2}, X)}) {
      ASSERT_TRUE(answered(w)) << far;
      EXPECT_NEAR(w.distance / far, 1, 1e-14);
    }
  }
}

// Solvers along walks agree with cold queries, through touching and back.
TEST(Primitives, WarmAsCold) {
  Random random(31);
  const auto walk = [&](const auto& a, const auto& b) {
    WitnessSolver<double, std::remove_cvref_t<decltype(a)>, std::remove_cvref_t<decltype(b)>> solver(a, b);
    Pose<double> X{random_rotation<double>(random), {0.13, 0.02, 0.03}};
    for (int i = 0; i < 300; ++i) {
      const Witness<double> cold = separation(a, b, X), warm = solver(X);
      if (answered(cold) && answered(warm)) {
        ASSERT_NEAR(warm.distance, cold.distance, 1e-12) << i;
      }
      Vec6<double> xi;
      xi << 1e-2 * random_vector(random), 1e-3 * random_vector(random);
      X = X * exp(xi);
      X.p.x() = 0.08 + 0.05 * std::cos(0.05 * i);
    }
  };
  walk(Cylinder<double>{0.06, 0.03}, Cone<double>{0.05, 0.04});
  walk(Cylinder<double>{0.06, 0.03}, Ellipsoid<double>{{0.1, 0.06, 0.05}});
  walk(Box<double>{{0.05, 0.03, 0.07}}, Ellipsoid<double>{{0.1, 0.06, 0.05}});
  walk(Ellipsoid<double>{{0.1, 0.06, 0.05}}, Ellipsoid<double>{{0.05, 0.08, 0.02}});
  walk(Capsule<double>{0.06, 0.02}, Cylinder<double>{0.06, 0.03});
  walk(Sphere<double>{0.04}, Ellipsoid<double>{{0.05, 0.08, 0.02}});
}

}  // namespace
