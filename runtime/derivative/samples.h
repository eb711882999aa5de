#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "runtime/core/random.h"

namespace abut::derivative {

// Transforms the samples to mean zero and identity covariance: sum z = 0 and sum z z' = count I, so that (1 /
// count) sum f(z) z' is the least-squares slope of f with a free constant, exact for linear f. Needs more
// samples than the dimension D.
template <int D>
void whiten(std::vector<Eigen::Matrix<double, D, 1>>& samples) {
  using Vector = Eigen::Matrix<double, D, 1>;
  using Matrix = Eigen::Matrix<double, D, D>;
  const double count = static_cast<double>(samples.size());
  Vector mean = Vector::Zero();
  for (const Vector& z : samples) mean += z / count;
  Matrix covariance = Matrix::Zero();
  for (Vector& z : samples) {
    z -= mean;
    covariance += z * z.transpose() / count;
  }
  const Eigen::LLT<Matrix> factor(covariance);
  for (Vector& z : samples) z = factor.matrixL().solve(z);
}

// Draws `count` standard normal samples of dimension D from the random stream (seed, pair): the same ones at
// every call.
template <int D>
std::vector<Eigen::Matrix<double, D, 1>> normal_samples(std::uint64_t seed, std::uint64_t pair, int count) {
  Random random(seed, pair);
  std::vector<Eigen::Matrix<double, D, 1>> samples(static_cast<std::size_t>(count));
  for (auto& z : samples) {
    for (int k = 0; k < D; ++k) z[k] = random.normal();
  }
  return samples;
}

// The same samples, whitened.
template <int D>
std::vector<Eigen::Matrix<double, D, 1>> whitened_samples(std::uint64_t seed, std::uint64_t pair, int count) {
  auto samples = normal_samples<D>(seed, pair, count);
  whiten<D>(samples);
  return samples;
}

// Returns `count` points that represent the plane's standard normal distribution evenly, whitened: their
// radii are at the middle of equal shares of probability, and each is turned by the golden angle from the one
// before, the first by an angle drawn from `seed`. The support point of a polytope is a step function of its
// direction; its slope over even samples scatters less than over drawn ones.
inline std::vector<Eigen::Vector2d> even_samples(std::uint64_t seed, int count) {
  constexpr double kGoldenAngle = 2.39996322972865332;  // rad: pi (3 - sqrt 5)
  const double first = Random(seed, 0).uniform(0, 2 * std::numbers::pi);
  std::vector<Eigen::Vector2d> samples(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - (i + 0.5) / count)), angle = first + i * kGoldenAngle;
    samples[static_cast<std::size_t>(i)] = {radius * std::cos(angle), radius * std::sin(angle)};
  }
  whiten<2>(samples);
  return samples;
}

}  // namespace abut::derivative
