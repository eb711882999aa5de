// The coupled solver's answers judged by another library, Siconos [Acary2018], which has the same law.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/dynamics/solve/coupled.h"
#include "tests/runtime/dynamics/solve/siconos_problem.h"
#include "tests/support/contact_problems.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace abut::dynamics {
namespace {

TEST(Siconos, ItsErrorOfRandomProblemsIsSmall) {
  Random random(11);
  const int tries = test::fewer_if_sanitized(10000);
  double largest = 0, largest_difference = 0;
  int unique = 0;
  CoupledSolver solver;
  for (int i = 0; i < tries; ++i) {
    test::ContactProblem problem = test::random_problem(random);
    test::SiconosProblem siconos(problem);
    solver.solve(problem.bodies, problem.contacts);
    const Eigen::VectorXd r = siconos.impulses(problem);
    const double error = siconos.error(r);
    ASSERT_LE(error, 1e-8) << "problem " << i;
    largest = test::worst_of(largest, error);
    Eigen::VectorXd other;
    if (error < 1e-9) {
      EXPECT_GT(siconos.error(r + 1e-6 * Eigen::VectorXd::Ones(r.size())), 1e-8);  // it would have noticed
    }
    if (r.norm() < 1e-3 || !siconos.certainly_unique() || !siconos.solve(other)) continue;
    ++unique;
    ASSERT_LE((r - other).cwiseAbs().maxCoeff(), 1e-8) << "problem " << i;
    largest_difference =
        test::worst_of(largest_difference, (r - other).cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
  }
  EXPECT_GT(unique, tries / 50);
  std::printf("%d problems: largest error %.2g; %d with one answer only: largest difference %.2g N s\n",
              tries, largest, unique, largest_difference);
}

}  // namespace
}  // namespace abut::dynamics
