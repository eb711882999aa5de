#pragma once

#include <Eigen/Core>

namespace abut::witness {

// The shortest x of those that solve M x = r, or come nearest to it. S: double or long double.
template <class S>
Eigen::Matrix<S, 8, 1> least_change(const Eigen::Matrix<S, 8, 8>& M, const Eigen::Matrix<S, 8, 1>& r);

}  // namespace abut::witness
