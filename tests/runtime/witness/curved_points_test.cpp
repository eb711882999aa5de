// Witness points of pairs with a curved shape are in their bodies and as far apart as the distance says, to
// 1e-12 of the size, cold and along a walk: many more poses than the search of curved_oracle.h has time for.
#include "tests/runtime/witness/curved_pairs.h"

namespace {

using namespace abut;
using namespace abut::test;
using namespace abut::witness;

template <class A, class B>
void expect_points_in_bodies(const A& a, const B& b, const Pose<double>& X_AB, const Witness<double>& w,
                             double size) {
  ASSERT_LE(w.lower_bound, w.distance);
  ASSERT_GE(w.upper_bound, w.distance);
  if (w.status == Status::kNotConverged) return;
  const LVec n = w.n.cast<Long>().normalized(), p1 = w.p1.cast<Long>(), p2 = w.p2.cast<Long>();
  const LVec p2_B = X_AB.cast<Long>().inverse() * p2;
  const Long bound = kCertified * size;
  ASSERT_LE(Kind<A>::outside(a, p1), bound);
  ASSERT_LE(Kind<B>::outside(b, p2_B), bound);
  ASSERT_LE((p2 - p1 - Long(w.distance) * n).norm(), bound);
  ASSERT_LE(std::abs(n.dot(p1 - Kind<A>::support(a, n))), bound);
}

template <class A, class B>
void expect_points_in_random_poses(std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < fewer_if_sanitized(runs(1000)); ++i) {
    SCOPED_TRACE("pair " + std::to_string(i) + " of seed " + std::to_string(seed));
    const A a = Kind<A>::random(random, 0.01);
    const B b = Kind<B>::random(random, 0.01);
    const double size = Kind<A>::size(a) + Kind<B>::size(b);
    Pose<double> X_AB = curved_pose(a, b, size, i, random);
    WitnessSolver<double, A, B> solver(a, b);
    const double stride = std::array{1e-6, 1e-4, 1e-3, 1e-2}[random.below(4)];
    for (int step = 0; step < 3; ++step) {
      expect_points_in_bodies(a, b, X_AB, separation(a, b, X_AB), size);
      expect_points_in_bodies(a, b, X_AB, solver(X_AB), size);
      if (testing::Test::HasFatalFailure()) return;
      Vec6<double> xi;
      xi << stride * random_vector(random), stride * size * random_vector(random);
      X_AB = X_AB * exp(xi);
    }
  }
}

template <class A, class... B>
void expect_points_with(std::uint64_t seed) {
  (expect_points_in_random_poses<A, B>(seed++), ...);
}

TEST(CurvedPoints, AreInTheirBodies) {
  using S = double;
  expect_points_with<Cylinder<S>, Cylinder<S>, Cone<S>, Box<S>, Ellipsoid<S>, Sphere<S>, Capsule<S>>(500);
  expect_points_with<Cone<S>, Cone<S>, Box<S>, Ellipsoid<S>, Sphere<S>, Capsule<S>>(600);
  expect_points_with<Ellipsoid<S>, Box<S>, Ellipsoid<S>, Capsule<S>>(700);
}

}  // namespace
