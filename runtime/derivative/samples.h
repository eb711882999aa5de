#pragma once

#include <Eigen/Cholesky>
#include <cstdint>
#include <vector>

#include "runtime/core/random.h"

namespace abut::derivative {

// `count` standard normal samples of dimension D, drawn by (seed, pair): the same ones for every call. They
// are centred and whitened, sum z = 0 and sum z z' = count I, so that (1 / count) sum f(z) z' is the slope of
// f by least squares with a free constant: exact for linear f, whatever the draw. Needs count > D.
template <int D>
std::vector<Eigen::Matrix<double, D, 1>> whitened_samples(std::uint64_t seed, std::uint64_t pair, int count) {
  using Vector = Eigen::Matrix<double, D, 1>;
  using Matrix = Eigen::Matrix<double, D, D>;
  Random random(seed, pair);
  std::vector<Vector> samples(static_cast<std::size_t>(count));
  Vector mean = Vector::Zero();
  for (Vector& z : samples) {
    for (int k = 0; k < D; ++k) z[k] = random.normal();
    mean += z / count;
  }
  Matrix covariance = Matrix::Zero();
  for (Vector& z : samples) {
    z -= mean;
    covariance += z * z.transpose() / count;
  }
  const Eigen::LLT<Matrix> factor(covariance);
  for (Vector& z : samples) z = factor.matrixL().solve(z);
  return samples;
}

}  // namespace abut::derivative
