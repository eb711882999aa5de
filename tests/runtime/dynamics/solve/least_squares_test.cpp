#include "runtime/dynamics/solve/least_squares.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/core/random.h"
#include "tests/support/allocations.h"
#include "tests/support/projections.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace abut::dynamics {
namespace {

using test::Projection;
using test::random_projection;

// Largest violation of the conditions of Karush, Kuhn and Tucker, over the problem's scale.
template <class S>
S kkt_residual(const Vec6<S>& z0, const std::vector<Vec6<S>>& a, const std::vector<S>& d,
               const LeastDistance<S>& answer) {
  const Vec6<S> z = answer.point();
  Vec6<S> sum = z0;
  S worst = 0, scale = z0.norm();
  for (std::size_t j = 0; j < answer.active().size(); ++j) {
    const std::int32_t k = answer.active()[j];
    const S u = answer.multipliers()[j];
    sum += u * a[k];
    worst = test::worst_of({worst, -u, std::abs(a[k].dot(z) - d[k])});
  }
  worst = test::worst_of(worst, (sum - z).norm());
  for (std::size_t k = 0; k < a.size(); ++k) {
    worst = test::worst_of(worst, d[k] - a[k].dot(z));
    scale = std::max(scale, std::abs(d[k]));
  }
  return worst / scale;
}

TEST(LeastDistance, RandomProblemsMeetTheOptimalityConditions) {
  Random random(1);
  LeastDistance<double> solver;
  double worst = 0;
  const int tries = test::fewer_if_sanitized(20000);
  for (int i = 0; i < tries; ++i) {
    const Projection p = random_projection(random, 1 + random.below(48));
    ASSERT_EQ(solver.solve(p.z0, p.a, p.d), Status::kOk) << i;
    worst = test::worst_of(worst, kkt_residual(p.z0, p.a, p.d, solver));
    ASSERT_LE(worst, 1e-12) << i;
  }
}

TEST(LeastDistance, RedundantAndParallelConstraints) {
  Random random(2);
  LeastDistance<double> solver;
  for (int i = 0; i < 2000; ++i) {
    Projection p = random_projection(random, 1 + random.below(8));
    const std::size_t m = p.a.size();
    for (int copy = 1; copy < 50;
         ++copy) {  // the same, a weaker bound, a combination of two, nearly the same
      const std::size_t k = random.below(m), l = random.below(m);
      const auto kind = random.below(4);
      const double nearly = kind == 3 ? std::pow(10.0, random.uniform(-15, -6)) : 0;
      const double share = kind == 2 ? random.uniform() : 1;
      Vec6<double> a = share * p.a[k] + (1 - share) * p.a[l];
      double d = share * p.d[k] + (1 - share) * p.d[l] - (kind == 1 ? random.uniform() : 0);
      for (int c = 0; c < 6; ++c) a[c] += nearly * random.normal();
      const double length = a.norm();
      if (length < 0.1) continue;
      p.a.push_back(a / length);
      p.d.push_back(d / length - nearly * 20);
    }
    ASSERT_EQ(solver.solve(p.z0, p.a, p.d), Status::kOk) << i;
    ASSERT_LE(kkt_residual(p.z0, p.a, p.d, solver), 1e-12) << i;
  }
}

// Numbers whose squares overflow or vanish: every problem ends, and an answer has numbers.
TEST(LeastDistance, EndsWhateverTheNumbers) {
  Random random(4);
  LeastDistance<double> solver;
  const auto number = [&] {
    return random.normal() * (random.below(2) ? std::pow(10.0, random.uniform(-200, 200)) : 1);
  };
  int answers = 0;
  for (int i = 0; i < 20000; ++i) {
    Vec6<double> z0;
    for (double& x : z0) x = random.below(2) ? 0 : number();
    std::vector<Vec6<double>> a(1 + random.below(8));
    std::vector<double> d;
    for (Vec6<double>& row : a) {
      for (double& x : row) x = number();
      d.push_back(number());
    }
    if (solver.solve(z0, a, d) != Status::kOk) continue;
    ++answers;
    ASSERT_TRUE(solver.point().allFinite()) << i;
  }
  EXPECT_GT(answers, 1000);
}

// With d = 0, z and z0 - z are the parts of z0 in a cone and in its polar (Moreau): the latter is the
// non-negative least squares answer, which long double finds again.
TEST(LeastDistance, IsNonNegativeLeastSquaresOfThePolarCone) {
  Random random(3);
  LeastDistance<double> solver;
  LeastDistance<long double> reference;
  for (int i = 0; i < 1000; ++i) {
    Projection p = random_projection(random, 1 + random.below(12));
    std::fill(p.d.begin(), p.d.end(), 0.0);
    ASSERT_EQ(solver.solve(p.z0, p.a, p.d), Status::kOk);
    const Vec6<double> z = solver.point();
    EXPECT_NEAR(z.dot(z - p.z0), 0, 1e-12 * p.z0.squaredNorm());
    std::vector<Vec6<long double>> a;
    const std::vector<long double> d(p.d.size(), 0);
    for (const Vec6<double>& row : p.a) a.push_back(row.cast<long double>());
    ASSERT_EQ(reference.solve(p.z0.cast<long double>(), a, d), Status::kOk);
    EXPECT_LT((reference.point().cast<double>() - z).norm(), 1e-11 * p.z0.norm());
  }
}

TEST(LeastDistance, AnEmptyPolyhedronHasALeastSquaresAnswer) {
  Random random(4);
  LeastDistance<double> solver;
  for (int i = 0; i < 500; ++i) {
    Projection p = random_projection(random, 2 + random.below(10));
    const Vec6<double> a = p.a[0];
    p.a.push_back(-a);  // a'z >= d0 and a'z <= d0 - 1
    p.d.push_back(1 - p.d[0]);
    ASSERT_EQ(solver.solve(p.z0, p.a, p.d), Status::kNoOverlap);
    std::vector<double> lowered = p.d;
    LeastDistance<double>::relax(p.a, lowered);
    ASSERT_EQ(solver.solve(p.z0, p.a, lowered), Status::kOk);
    EXPECT_LE(kkt_residual(p.z0, p.a, lowered, solver), 1e-12);
    // stationary: the missing parts are in balance
    Vec6<double> sum = Vec6<double>::Zero();
    for (std::size_t k = 0; k < p.a.size(); ++k) {
      const double missing = std::max(0.0, p.d[k] - lowered[k]);
      if (missing > 1e-9) sum += missing * p.a[k];
    }
    EXPECT_LT(sum.norm(), 1e-8);
  }
}

TEST(LeastDistance, TakesNothingAndNonsense) {
  LeastDistance<double> solver;
  const Vec6<double> z0 = Vec6<double>::Ones();
  EXPECT_EQ(solver.solve(z0, {}, {}), Status::kOk);
  EXPECT_EQ(solver.point(), z0);
  const std::vector<Vec6<double>> a(1, Vec6<double>::Unit(0));
  const std::vector<double> d(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(solver.solve(Vec6<double>::Constant(NAN), a, std::vector<double>(1, 0.0)), Status::kInvalidInput);
  EXPECT_TRUE(solver.point().hasNaN());
  EXPECT_EQ(solver.solve(z0, a, d), Status::kInvalidInput);
}

TEST(LeastDistance, AllocatesNothing) {
  Random random(5);
  const Projection p = random_projection(random, 48);
  LeastDistance<double> solver;
  const std::size_t before = test::allocations();
  solver.solve(p.z0, p.a, p.d);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace abut::dynamics
