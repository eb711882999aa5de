// The projections against CGAL's exact solver of quadratic programs.
#include <CGAL/Gmpzf.h>
#include <CGAL/QP_functions.h>
#include <CGAL/QP_models.h>
#include <gtest/gtest.h>

#include "runtime/dynamics/solve/least_squares.h"
#include "tests/support/projections.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace abut::dynamics {
namespace {

TEST(LeastDistanceAgainstCgal, TheSamePoint) {
  Random random(7);
  LeastDistance<double> solver;
  const int tries = test::fewer_if_sanitized(test::runs(200));
  constexpr double kRoom = 1e-13;  // m/s, for the rounding of a vertex of many constraints
  double largest = 0;
  for (int i = 0; i < tries; ++i) {
    const test::Projection p = test::random_projection(random, 1 + random.below(24));
    CGAL::Quadratic_program<double> program(CGAL::LARGER, false, 0, false, 0);
    for (int c = 0; c < 6; ++c) {
      program.set_d(c, c, 1);  // |z|^2/2 - z0'z
      program.set_c(c, -p.z0[c]);
    }
    for (std::size_t k = 0; k < p.a.size(); ++k) {
      const int row = static_cast<int>(k);
      for (int c = 0; c < 6; ++c) program.set_a(c, row, p.a[k][c]);
      program.set_b(row, p.d[k] - kRoom);
    }
    const auto exact = CGAL::solve_quadratic_program(program, CGAL::Gmpzf());
    ASSERT_TRUE(exact.is_optimal()) << i;
    ASSERT_EQ(solver.solve(p.z0, p.a, p.d), Status::kOk);
    // What the room itself moves the point by where active constraints are nearly parallel.
    Eigen::MatrixXd active(6, static_cast<Eigen::Index>(solver.active().size()));
    for (std::size_t k = 0; k < solver.active().size(); ++k)
      active.col(static_cast<Eigen::Index>(k)) = p.a[static_cast<std::size_t>(solver.active()[k])];
    const double steepest = active.cols() > 0 ? active.jacobiSvd().singularValues().tail<1>()[0] : 1;
    const double moved = kRoom * std::sqrt(6.0) / steepest;
    double difference = 0;
    int c = 0;
    for (auto value = exact.variable_values_begin(); value != exact.variable_values_end(); ++value, ++c) {
      difference = test::worst_of(difference, std::abs(CGAL::to_double(*value) - solver.point()[c]));
    }
    ASSERT_LE(difference, 1e-10 + moved) << i;
    largest = test::worst_of(largest, difference);
  }
  std::printf("%d problems, largest difference %.2g\n", tries, largest);
}

}  // namespace
}  // namespace abut::dynamics
