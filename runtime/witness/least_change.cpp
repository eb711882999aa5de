#include "runtime/witness/least_change.h"

#include <Eigen/QR>
#include <cmath>
#include <limits>

namespace abut::witness {

namespace {

// Below this part of the largest entry a pivot is rounding.
template <class S>
constexpr S kSingular = 4096 * std::numeric_limits<S>::epsilon();

// Solves M x = r by elimination with row pivoting. False if M is singular within rounding.
template <class S>
bool eliminate(Eigen::Matrix<S, 8, 8> M, Eigen::Matrix<S, 8, 1> r, Eigen::Matrix<S, 8, 1>& x) {
  const S least = kSingular<S> * M.cwiseAbs().maxCoeff();
  for (int k = 0; k < 8; ++k) {
    int p = k;
    for (int i = k + 1; i < 8; ++i)
      if (std::abs(M(i, k)) > std::abs(M(p, k))) p = i;
    if (!(std::abs(M(p, k)) > least)) return false;
    if (p != k) {
      M.row(k).swap(M.row(p));
      std::swap(r[k], r[p]);
    }
    for (int i = k + 1; i < 8; ++i) {
      if (M(i, k) == 0) continue;  // most unknowns are unused as a rule
      const S factor = M(i, k) / M(k, k);
      for (int j = k + 1; j < 8; ++j) M(i, j) -= factor * M(k, j);
      r[i] -= factor * r[k];
    }
  }
  for (int k = 7; k >= 0; --k) {
    for (int j = k + 1; j < 8; ++j) r[k] -= M(k, j) * x[j];
    x[k] = r[k] / M(k, k);
  }
  return true;
}

}  // namespace

template <class S>
Eigen::Matrix<S, 8, 1> least_change(const Eigen::Matrix<S, 8, 8>& M, const Eigen::Matrix<S, 8, 1>& r) {
  Eigen::Matrix<S, 8, 1> x;
  if (eliminate(M, r, x)) return x;
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<S, 8, 8>> solver;
  solver.setThreshold(kSingular<S>);
  solver.compute(M);
  return solver.solve(r);
}

template Eigen::Matrix<double, 8, 1> least_change(const Eigen::Matrix<double, 8, 8>&,
                                                  const Eigen::Matrix<double, 8, 1>&);
template Eigen::Matrix<long double, 8, 1> least_change(const Eigen::Matrix<long double, 8, 8>&,
                                                       const Eigen::Matrix<long double, 8, 1>&);

}  // namespace abut::witness
