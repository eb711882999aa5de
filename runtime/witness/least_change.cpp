#include "runtime/witness/least_change.h"

#include <Eigen/QR>
#include <limits>

namespace abut::witness {

template <class S>
Eigen::Matrix<S, 8, 1> least_change(const Eigen::Matrix<S, 8, 8>& M, const Eigen::Matrix<S, 8, 1>& r) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<S, 8, 8>> solver;
  solver.setThreshold(4096 * std::numeric_limits<S>::epsilon());
  solver.compute(M);
  return solver.solve(r);
}

template Eigen::Matrix<double, 8, 1> least_change(const Eigen::Matrix<double, 8, 8>&,
                                                  const Eigen::Matrix<double, 8, 1>&);
template Eigen::Matrix<long double, 8, 1> least_change(const Eigen::Matrix<long double, 8, 8>&,
                                                       const Eigen::Matrix<long double, 8, 1>&);

}  // namespace abut::witness
