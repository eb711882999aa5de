#include "runtime/witness/least_change.h"

#include <Eigen/SVD>
#include <limits>

#include "runtime/math/eliminate.h"

namespace abut::witness {

namespace {

// A pivot below this fraction of the largest entry is rounding, as is a singular value below this fraction
// of the largest.
template <class S>
constexpr S kSingular = 4096 * std::numeric_limits<S>::epsilon();

}  // namespace

template <class S>
Eigen::Matrix<S, 8, 1> least_change(const Eigen::Matrix<S, 8, 8>& M, const Eigen::Matrix<S, 8, 1>& r) {
  Eigen::Matrix<S, 8, 8, Eigen::RowMajor> lost = M;
  Eigen::Matrix<S, 8, 1> x = r;
  if (eliminate(lost.data(), x.data(), 8, kSingular<S> * M.cwiseAbs().maxCoeff())) return x;
  // Does not allocate, since the sizes are fixed at compile time.
  Eigen::JacobiSVD<Eigen::Matrix<S, 8, 8>> solver(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  solver.setThreshold(kSingular<S>);
  return solver.solve(r);
}

template Eigen::Matrix<double, 8, 1> least_change(const Eigen::Matrix<double, 8, 8>&,
                                                  const Eigen::Matrix<double, 8, 1>&);
template Eigen::Matrix<long double, 8, 1> least_change(const Eigen::Matrix<long double, 8, 8>&,
                                                       const Eigen::Matrix<long double, 8, 1>&);

}  // namespace abut::witness
