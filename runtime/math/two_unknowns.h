#pragma once

#include <cmath>

#include "runtime/math/pose.h"

namespace abut {

// Least squares with two unknowns, without heap allocation: for P (n x 2) and each column r of R, returns the
// minimum-norm z among those that minimise |P z - r| [Moore and Penrose], by Gram-Schmidt QR with the longer
// column first. The component of the shorter column perpendicular to the longer one counts as zero up to
// `singular` times the longer one's length. `rank`, if given, receives the number of columns that count, 0 to
// 2.
template <class Columns, class Right>
Eigen::Matrix<double, 2, Right::ColsAtCompileTime, 0, 2, Right::MaxColsAtCompileTime> shortest_least_squares(
    const Columns& P, const Right& R, double singular, int* rank = nullptr) {
  using Column = Eigen::Matrix<double, Columns::RowsAtCompileTime, 1, 0, Columns::MaxRowsAtCompileTime, 1>;
  Eigen::Matrix<double, 2, Right::ColsAtCompileTime, 0, 2, Right::MaxColsAtCompileTime> Z(2, R.cols());
  Z.setZero();
  const int first = P.col(1).stableNorm() > P.col(0).stableNorm() ? 1 : 0, second = 1 - first;
  const double r00 = P.col(first).stableNorm();
  if (rank != nullptr) *rank = r00 == 0 ? 0 : 1;
  if (r00 == 0) return Z;
  const Column q = P.col(first) / r00;
  double r01 = q.dot(P.col(second));
  Column across = P.col(second) - r01 * q;
  const double again = q.dot(across);  // second pass: removes what rounding left of q
  r01 += again;
  across -= again * q;
  const double r11 = across.stableNorm(), length = std::hypot(r00, r01);
  const bool both = r11 > singular * r00;
  if (rank != nullptr && both) *rank = 2;
  if (both) across /= r11;
  for (Eigen::Index j = 0; j < R.cols(); ++j) {
    const double y = q.dot(R.col(j));
    if (both) {
      Z(second, j) = across.dot(R.col(j)) / r11;
      Z(first, j) = (y - r01 * Z(second, j)) / r00;
    } else {
      Z(first, j) = r00 / length * (y / length);
      Z(second, j) = r01 / length * (y / length);
    }
  }
  return Z;
}

}  // namespace abut
