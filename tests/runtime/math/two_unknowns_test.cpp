#include "runtime/math/two_unknowns.h"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "runtime/core/random.h"

namespace abut {
namespace {

constexpr double kSingular = 1e-9;

template <class Columns, class Right>
void expect_as_eigen(const Columns& P, const Right& R) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(kSingular);
  solver.compute(P);
  const Eigen::MatrixXd expected = solver.solve(Eigen::MatrixXd(R));
  int rank = -1;
  const auto Z = shortest_least_squares(P, R, kSingular, &rank);
  EXPECT_EQ(rank, solver.rank()) << P;
  EXPECT_LE((Z - expected).cwiseAbs().maxCoeff(), 1e-13 * (1 + expected.cwiseAbs().maxCoeff())) << P;
}

TEST(TwoUnknowns, AreThoseOfTheOrthogonalDecomposition) {
  Random random(3);
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, 16, 2>;
  for (int rows = 1; rows <= 16; ++rows) {
    Columns P(rows, 2);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 16, 6> R(rows, 6);
    for (double& entry : P.reshaped()) entry = random.normal();
    for (double& entry : R.reshaped()) entry = random.normal();
    expect_as_eigen(P, R);
    P.col(1) = -0.3 * P.col(0);  // one direction twice
    expect_as_eigen(P, R);
    P.col(1) *= 20;
    expect_as_eigen(P, R);
    P.col(0).setZero();
    expect_as_eigen(P, R);
    P.setZero();
    expect_as_eigen(P, R);
  }
}

TEST(TwoUnknowns, OfFixedSizeAreTheSame) {
  const Eigen::Matrix2d regular{{2, 1}, {1, 3}}, one{{0, 0}, {0, 5}}, near{{1, 1}, {1, 1 + 1e-12}};
  const Eigen::Vector2d r(0.7, -0.2);
  for (const Eigen::Matrix2d& P : {regular, one, near}) expect_as_eigen(P, r);
}

}  // namespace
}  // namespace abut
