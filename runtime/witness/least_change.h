#pragma once

#include <Eigen/Core>

namespace abut::witness {

// Returns the shortest least-squares solution x of M x = r. S: double or long double.
template <class S>
Eigen::Matrix<S, 8, 1> least_change(const Eigen::Matrix<S, 8, 8>& M, const Eigen::Matrix<S, 8, 1>& r);

}  // namespace abut::witness
