// Smoothed witness points of real hulls: first and second derivatives, frames, exchange of the bodies.
#include <gtest/gtest.h>

#include "runtime/derivative/estimator.h"
#include "tests/contract/contract.h"
#include "tests/runtime/derivative/soft_differences.h"

namespace {

using namespace abut;
using derivative::SmoothedPair;

// Calls test(A, B, X_AB) from 1 cm deep to 3 cm apart.
template <class Test>
void for_each_pair_of_hulls(int poses, Test&& test) {
  Random random(11);
  const auto hulls = test::contract_hulls();
  for (const auto& [A, B] : test::hull_pairs(hulls))
    for (int k = 0; k < poses; ++k) {
      Pose<double> X_AB = test::random_pose(random, A.size + B.size, 1);
      test::place_at(A.body.geometry.convex(), B.body.geometry.convex(), random.uniform(-0.01, 0.03), X_AB);
      SCOPED_TRACE(A.name + " and " + B.name + ", pose " + std::to_string(k));
      test(A, B, X_AB);
    }
}

// At the temperatures that annealing passes through, and at the estimator's own.
TEST(SoftBodiesOfHulls, DerivativesEqualExtendedPrecisionDifferences) {
  test::SoftDifferences worst;
  int all = 0;
  for_each_pair_of_hulls(1, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    const asset::ConvexView &a = A.body.geometry.convex(), &b = B.body.geometry.convex();
    for (const double share : {0.3, 0.03, 8.0 / a.vertex_count}) {
      test::compare_soft_differences(a, b, share * (A.size + B.size) / 2, X_AB, worst);
      ++all;
    }
  });
  worst.print("hulls");
  EXPECT_GT(worst.compared, 0.95 * all);
  EXPECT_LT(worst.first, 1e-8);
  EXPECT_LT(worst.second, 1e-8);
  EXPECT_LT(worst.rounding, 1e-9);
}

TEST(SoftBodiesOfHulls, ExchangeAndFramesChangeNothing) {
  const auto estimator = derivative::make_estimator("soft_bodies");
  Random random(12);
  test::Tally same;
  for_each_pair_of_hulls(3, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    const SmoothedPair r = estimator->smoothed({&A.body, &B.body, X_AB});
    const SmoothedPair back = estimator->smoothed({&B.body, &A.body, X_AB.inverse()});
    const auto [M, X_MA] = test::in_random_frame(A.body, random);
    const SmoothedPair moved = estimator->smoothed({&M, &B.body, X_MA * X_AB});
    ASSERT_TRUE(r.derivative.status == Status::kOk || r.derivative.status == Status::kClamped);
    const double gap = std::max({(X_AB * back.smoothed.p2 - r.smoothed.p1).norm(),
                                 (X_AB * back.smoothed.p1 - r.smoothed.p2).norm(),
                                 std::abs(back.smoothed.distance - r.smoothed.distance),
                                 (X_AB.R * back.smoothed.n + r.smoothed.n).norm() * 0.1});
    const Mat36<double> turned = X_MA.R.transpose() * moved.derivative.dp1_A_dxi_B;
    const double slope = test::relative_gap(turned, r.derivative.dp1_A_dxi_B, 0.1);
    same.add(A, B, gap < 1e-9 && slope < 1e-5);
    EXPECT_LT((r.smoothed.p2 - r.smoothed.p1 - r.smoothed.distance * r.smoothed.n).norm(), 1e-12);
  });
  EXPECT_GT(same.share(), 0.97);
}

TEST(SoftBodiesOfHulls, AllocateNothingInTheSteadyState) {
  const auto estimator = derivative::make_estimator("soft_bodies");
  derivative::WitnessHessian<double> hessian;
  std::size_t allocated = 0;
  for_each_pair_of_hulls(1, [&](const auto& A, const auto& B, const Pose<double>& X_AB) {
    estimator->smoothed({&A.body, &B.body, X_AB}, &hessian);
    const std::size_t before = test::allocations();
    estimator->smoothed({&A.body, &B.body, X_AB}, &hessian);
    allocated += test::allocations() - before;
  });
  EXPECT_EQ(allocated, 0U);
}

}  // namespace
