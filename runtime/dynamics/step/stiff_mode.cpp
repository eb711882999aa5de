#include "runtime/dynamics/step/stiff_mode.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace abut::dynamics {

StiffMode stiffest_mode(const MatX<double>& M, const MatX<double>& K, const MatX<double>& C,
                        const VecX<double>& start, double dt) {
  constexpr int kPowers = 30;
  const Eigen::LLT<MatX<double>> inertia(M);
  const MatX<double> pull = dt * dt * K + 2 * dt * C;
  VecX<double> x = start, next(M.rows());
  if (!(x.allFinite() && x.norm() > 0)) x.setOnes(M.rows());
  for (int k = 0; k < kPowers; ++k) {
    const double size = x.norm();
    if (!(size > 0 && std::isfinite(size))) return {};
    next.noalias() = pull * x;
    inertia.solveInPlace(next);
    x = next / size;
  }
  const double weight = x.dot(M * x);
  if (!(weight > 0 && std::isfinite(weight))) return {};
  next.noalias() = pull * x;
  const double size = std::sqrt(next.dot(inertia.solve(next)) / weight),
               damping = std::max(x.dot(C * x) / weight, 0.0);
  return {std::max(size / (dt * dt) - 2 * damping / dt, 0.0), damping};
}

// Power iteration on z = (x / dt; y). With pairs of complex eigenvalues |z| oscillates: the growth is
// averaged.
double greatest_rate(const MatX<double>& M, const MatX<double>& K, const MatX<double>& C,
                     const VecX<double>& start, double dt) {
  constexpr int kPowers = 60, kMean = 40;  // only the last ones count
  const Eigen::LLT<MatX<double>> inertia(M);
  VecX<double> x = start, y = start;
  double growth = 0;  // sum of its logarithms
  for (int k = 0; k < kPowers; ++k) {
    const double size = std::hypot(x.norm(), y.norm());
    if (!(size > 0 && std::isfinite(size))) return 0;
    if (k > kPowers - kMean) growth += std::log(size);
    const VecX<double> force = dt * (dt * (K * x) + C * y);
    x = y / size;
    y = -inertia.solve(force) / size;
  }
  return std::exp(growth / (kMean - 1)) / dt;
}

// v' = v - h (k x + c v), x' = x + h v' is bounded while h^2 k + 2 h c <= 4.
double longest_semi_implicit_step(const StiffMode& mode) {
  return 4 / (mode.damping + std::sqrt(mode.damping * mode.damping + 4 * mode.stiffness));
}

// Bounded while |1 + z + z^2/2 + z^3/6 + z^4/24| <= 1, z = h lambda and lambda^2 + c lambda + k = 0.
double longest_runge_kutta_step(const StiffMode& mode) {
  using Number = std::complex<double>;
  const Number root = std::sqrt(Number(mode.damping * mode.damping - 4 * mode.stiffness)),
               lambda = -(mode.damping + root) / 2.0;  // the larger one of the two
  const double rate = std::abs(lambda);
  if (!(rate > 0)) return std::numeric_limits<double>::infinity();
  double bounded = 2.6, beyond = 3;  // bounds of |z| for any direction in the left half-plane
  for (int k = 0; k < 20; ++k) {
    const double size = (bounded + beyond) / 2;
    const Number z = size * lambda / rate;
    const bool grows = std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))) > 1;
    (grows ? beyond : bounded) = size;
  }
  return bounded / rate;
}

}  // namespace abut::dynamics
