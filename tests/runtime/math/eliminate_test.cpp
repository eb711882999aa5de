#include "runtime/math/eliminate.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "runtime/core/random.h"

namespace {

using namespace abut;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix random_matrix(Random& random, int n) {
  Matrix M(n, n);
  for (int i = 0; i < M.size(); ++i) M.data()[i] = random.uniform() < 0.5 ? 0 : random.normal();
  for (int i = 0; i < n; ++i) M(i, (i + 1) % n) += 3;  // no zero pivot is lost for want of an exchange
  return M;
}

TEST(Eliminate, SolvesAsEigenDoes) {
  Random random(1);
  for (int n = 1; n <= 20; ++n) {
    const Matrix M = random_matrix(random, n);
    Eigen::VectorXd r(n);
    for (int i = 0; i < n; ++i) r[i] = random.normal();
    Matrix lost = M;
    Eigen::VectorXd x = r;
    ASSERT_TRUE(eliminate(lost.data(), x.data(), static_cast<std::size_t>(n), 0.0)) << n;
    const Eigen::VectorXd expected = M.fullPivLu().solve(r);
    EXPECT_LT((x - expected).norm(), 1e-9 * (1 + expected.norm())) << n;
  }
}

TEST(Eliminate, SaysWhereThePivotsAreTooSmall) {
  Matrix M(3, 3);
  M << 1, 2, 3, 4, 5, 6, 7, 8, 9 + 1e-9;
  for (const double least : {0.0, 1e-6}) {
    Matrix lost = M;
    Eigen::Vector3d x(1, 2, 3);
    EXPECT_EQ(eliminate(lost.data(), x.data(), 3, least), least == 0);
  }
}

}  // namespace
