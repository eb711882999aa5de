#pragma once

#include <cmath>

#include "runtime/math/pose.h"

namespace abut {

// Two unit vectors that complete the unit vector n to a right-handed basis, t1 x t2 = n [Duff2017]. Smooth in
// n, except for a jump across n.z = 0, where one smooth basis replaces another.
template <class S>
Eigen::Matrix<S, 3, 2> tangent_basis(const Vec3<S>& n) {
  using std::copysign;
  const S sign = copysign(S(1), n.z());
  const S a = S(-1) / (sign + n.z());
  const S b = n.x() * n.y() * a;
  Eigen::Matrix<S, 3, 2> T;
  T << S(1) + sign * n.x() * n.x() * a, b, sign * b, sign + n.y() * n.y() * a, -sign * n.x(), -n.y();
  return T;
}

}  // namespace abut
