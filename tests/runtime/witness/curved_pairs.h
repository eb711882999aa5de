#pragma once

#include <gtest/gtest.h>

#include "runtime/witness/solver.h"
#include "tests/runtime/witness/curved_oracle.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

// Random pairs with a curved shape, in random poses, against the search of curved_oracle.h.
namespace abut::test {

// What came of many queries. Lengths in units of the pair's size, the sum of the radii of balls about the
// bodies' frames.
struct CurvedTally {
  int queries = 0, overlapping = 0, not_ok = 0;
  int about_one_centre = 0;  // of those that are not ok: there all directions of a round pair are as good
  double widest = 0, cold_warm = 0;
};

constexpr double kCertified = 1e-12;

// Judges an answer: ok, or not an answer. `sure`: what the oracle found.
template <class A, class B>
void expect_certified(const CurvedOracle<A, B>& oracle, const witness::Witness<double>& w, Long sure,
                      double size, CurvedTally& tally) {
  ++tally.queries;
  ASSERT_LE(w.lower_bound, w.distance);
  ASSERT_GE(w.upper_bound, w.distance);
  ASSERT_GE(w.upper_bound, sure - 1e-15L * size) << "the search found more";
  if (w.status != Status::kOk && w.status != Status::kTouching) {
    ASSERT_EQ(w.status, Status::kNotConverged);
    ++tally.not_ok;
    tally.about_one_centre += oracle.X_AB.p.norm() < 0.05L * size;
    return;
  }
  const LVec n = w.n.cast<Long>().normalized();
  ASSERT_GE(w.upper_bound, oracle.climb(n, 1e-8L) - 1e-15L * size) << "there is more nearby";
  const LVec p1 = w.p1.cast<Long>(), p2 = w.p2.cast<Long>();
  ASSERT_NEAR(w.n.norm(), 1, 1e-14);
  ASSERT_GE(oracle.g(n), w.lower_bound - 1e-15L * size) << "the lower bound is none";
  ASSERT_LE(w.upper_bound - w.lower_bound, kCertified * size);
  ASSERT_LE((p2 - p1 - Long(w.distance) * n).norm(), kCertified * size);
  ASSERT_LE(std::abs(n.dot(p1 - Kind<A>::support(oracle.a, n))), kCertified * size);
  ASSERT_LE(Kind<A>::outside(oracle.a, p1), kCertified * size);
  const LVec p2_B = oracle.X_AB.R.transpose() * (p2 - oracle.X_AB.p);
  ASSERT_LE(Kind<B>::outside(oracle.b, p2_B), kCertified * size);
  tally.widest = test::worst_of(tally.widest, (w.upper_bound - w.lower_bound) / size);
  tally.overlapping += w.distance < 0;
}

// A pose of every kind: deep, by an overlap of 1e-1 to 1e-14 of the size, touching, with parallel axes, about
// one centre.
template <class A, class B>
Pose<double> curved_pose(const A& a, const B& b, double size, int kind, Random& random) {
  Pose<double> X_AB{random_rotation<double>(random),
                    log_uniform(random, 0.01, 0.5) * size * random_vector(random).normalized()};
  if (kind % 4 == 1) {
    X_AB.p *= 3 * size / X_AB.p.norm();
    const auto w = witness::separation(library_shape(a), library_shape(b), X_AB);
    X_AB.p -= (w.distance + (kind % 8 == 5 ? 0 : size * log_uniform(random, 1e-14, 1e-1))) * w.n;
  }
  if (kind % 4 == 2) {
    const double quarter = std::acos(-1.0) / 2;
    X_AB.R = exp_rotation<double>({quarter * static_cast<double>(random.below(4)), 0, 0});
  }
  if (kind % 8 == 3) X_AB.p.setZero();
  return X_AB;
}

template <class A, class B>
void expect_certified_in_random_poses(const char* name, int count, std::uint64_t seed) {
  SCOPED_TRACE(name);
  Random random(seed);
  CurvedTally tally;
  for (int i = 0; i < count; ++i) {
    const double thin = i % 3 ? 0.01 : 0.3;
    const A a = Kind<A>::random(random, thin);
    const B b = Kind<B>::random(random, thin);
    const auto& shape_a = library_shape(a);
    const auto& shape_b = library_shape(b);
    const double size = Kind<A>::size(a) + Kind<B>::size(b);
    Pose<double> X_AB = curved_pose(a, b, size, i, random);
    witness::WitnessSolver<double, std::remove_cvref_t<decltype(shape_a)>,
                           std::remove_cvref_t<decltype(shape_b)>>
        solver(shape_a, shape_b);
    const double stride = std::array{1e-6, 1e-4, 1e-3, 1e-2}[random.below(4)];
    for (int step = 0; step < 3; ++step) {
      SCOPED_TRACE("pair " + std::to_string(i) + ", step " + std::to_string(step));
      const CurvedOracle<A, B> oracle{a, b, X_AB.cast<Long>()};
      const Long sure = oracle.distance();
      const auto cold = witness::separation(shape_a, shape_b, X_AB), warm = solver(X_AB);
      expect_certified(oracle, cold, sure, size, tally);
      expect_certified(oracle, warm, sure, size, tally);
      if (testing::Test::HasFatalFailure()) return;
      if (cold.status != Status::kNotConverged && warm.status != Status::kNotConverged) {
        ASSERT_LE(std::abs(cold.distance - warm.distance), kCertified * size);
        tally.cold_warm = test::worst_of(tally.cold_warm, std::abs(cold.distance - warm.distance) / size);
      }
      Vec6<double> xi;
      xi << stride * random_vector(random), stride * size * random_vector(random);
      X_AB = X_AB * exp(xi);
    }
  }
  std::printf(
      "%-22s %5d queries, %5d overlapping; widest bounds %.1e, cold to warm %.1e of the size; %d not "
      "converged, %d of these about one centre\n",
      name, tally.queries, tally.overlapping, tally.widest, tally.cold_warm, tally.not_ok,
      tally.about_one_centre);
  EXPECT_LE(tally.not_ok - tally.about_one_centre, tally.queries / 100);
}

// Shape A with each of the shapes B.
template <class A, class... B>
void expect_certified_with(std::initializer_list<const char*> names, std::uint64_t seed) {
  auto name = names.begin();
  (expect_certified_in_random_poses<A, B>(*name++, runs(60), seed++), ...);
}

}  // namespace abut::test
