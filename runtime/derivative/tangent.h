#pragma once

#include <cmath>

#include "runtime/math/tangent_basis.h"

// Small algebra on the tangent plane of a unit normal.
namespace abut::derivative {

// Coordinates of a tangent vector in a tangent basis.
template <class S>
using Vec2 = Eigen::Matrix<S, 2, 1>;
// A symmetric form on the tangent plane, such as a curvature.
template <class S>
using Mat2 = Eigen::Matrix<S, 2, 2>;
// A tangent basis, with its vectors as columns, or its Jacobian.
template <class S>
using Mat32 = Eigen::Matrix<S, 3, 2>;
// Derivative of tangent coordinates with respect to the tangent xi of a pose.
template <class S>
using Mat26 = Eigen::Matrix<S, 2, 6>;

using abut::tangent_basis;

// Computes the eigenvalues (in `values`) and orthonormal eigenvectors (columns of the result) of a symmetric
// 2 x 2 matrix by one Jacobi rotation.
template <class S>
Mat2<S> eigenvectors(const Mat2<S>& K, Vec2<S>& values) {
  using std::abs, std::copysign, std::sqrt;
  const S b = K(0, 1);
  Mat2<S> Q = Mat2<S>::Identity();
  values = K.diagonal();
  if (b == S(0)) return Q;
  // t = tan of the smaller angle that makes Q'KQ diagonal: t^2 + 2 theta t - 1 = 0
  const S theta = (K(1, 1) - K(0, 0)) / (2 * b);
  const S t = copysign(S(1), theta) / (abs(theta) + sqrt(theta * theta + S(1)));
  const S c = S(1) / sqrt(t * t + S(1)), s = t * c;
  Q << c, s, -s, c;
  values[0] -= t * b;
  values[1] += t * b;
  return Q;
}

}  // namespace abut::derivative
