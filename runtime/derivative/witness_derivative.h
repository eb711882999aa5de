#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/core/status.h"
#include "runtime/math/pose.h"
#include "runtime/witness/witness.h"

// Derivatives of the witness points of two convex sets with respect to their relative pose, from the
// curvatures of the two support functions at the witness normal. One formula for separated, touching and
// penetrating pairs.
namespace abut::derivative {

// Hessian of a support function h(n) = max <a, n> at a unit n, in the shape's own frame, m: H n = 0, positive
// semidefinite, its non-zero eigenvalues are the radii of curvature at the support point.
template <class S>
struct Curvature {
  Mat3<S> H = Mat3<S>::Zero();
};

// Derivatives of a witness.h result with respect to xi = (w; v) of X_AB exp(xi), xi in B (rad, m). Points,
// normal and distance are in frame A. All finite, or all NaN with Status::kInvalidInput.
template <class S>
struct WitnessDerivative {
  Mat36<S> dp1_A_dxi_B;  // (3, 6) witness point on A: m/rad and m/m
  Mat36<S> dp2_A_dxi_B;  // (3, 6) witness point on B
  Mat36<S> dn_A_dxi_B;   // (3, 6) unit normal from A to B: 1/rad and 1/m; columns orthogonal to n
  Row6<S>
      dd_dxi_B;  // (1, 6) signed distance: m/rad and m/m. It needs no curvature: exact wherever d is smooth
  int clamped_count;  // directions of dn, 0 to 2, in which the curvature was raised to Clamp's bound
  std::array<Vec3<S>, 2> clamped_A;  // those directions, unit, orthogonal to n; zero beyond clamped_count
  Status status;  // the witness's own; kClamped where it is an answer and clamped_count > 0
};

// Lower bound of the eigenvalues of d I + H_D on the tangent plane:
// relative min(|d| + trace H_D, size) + absolute size. The first term follows the curvature's scale (an
// estimate of H that shrinks with |d| is not clamped away near touching), but not into a flat direction,
// whose radius says nothing about the other one; the second keeps the derivative finite where all vanishes.
struct Clamp {
  double relative = 1e-3;
  double absolute = 1e-9;
};

namespace detail {

// Two unit vectors that complete the unit vector n to a right-handed basis; smooth but at n = -z (Duff et al.
// 2017).
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

// Eigenvalues (in `values`) and orthonormal eigenvectors (columns) of a symmetric 2 x 2 matrix: one Jacobi
// rotation.
template <class S>
Eigen::Matrix<S, 2, 2> eigenvectors(const Eigen::Matrix<S, 2, 2>& K, Eigen::Matrix<S, 2, 1>& values) {
  using std::atan2, std::cos, std::sin;
  const S angle = atan2(S(2) * K(0, 1), K(0, 0) - K(1, 1)) / S(2);
  const S c = cos(angle), s = sin(angle);
  Eigen::Matrix<S, 2, 2> Q;
  Q << c, -s, s, c;
  values = {Q.col(0).dot(K * Q.col(0)), Q.col(1).dot(K * Q.col(1))};
  return Q;
}

template <class S>
WitnessDerivative<S> invalid_derivative() {
  const S nan = std::numeric_limits<S>::quiet_NaN();
  WitnessDerivative<S> result;
  result.dp1_A_dxi_B.setConstant(nan);
  result.dp2_A_dxi_B.setConstant(nan);
  result.dn_A_dxi_B.setConstant(nan);
  result.dd_dxi_B.setConstant(nan);
  result.clamped_count = 0;
  result.clamped_A.fill(Vec3<S>::Zero());
  result.status = Status::kInvalidInput;
  return result;
}

template <class S>
bool finite(const WitnessDerivative<S>& d) {
  return d.dp1_A_dxi_B.allFinite() && d.dp2_A_dxi_B.allFinite() && d.dn_A_dxi_B.allFinite() &&
         d.dd_dxi_B.allFinite();
}

}  // namespace detail

// Derivative of `witness` (of A and B posed by X_AB) from the curvature of A at n, in A, and of B at -R_BA n,
// in B. `size` (m) is a length of the pair, for Clamp only. Never throws; invalid or overflowing input gives
// NaN everywhere.
//
// With the normal n held fixed only the point of B moves; then n turns until p2 - p1 = d n holds again:
//   dp2|n = R_AB [ H_B [m]  - [s_B]   I ] xi,   m = -R_BA n,  s_B = p2 in B
//   (d I + H_D) dn = P dp2|n,   P = I - n n',   H_D = P (H_A + R_AB H_B R_BA) P,   n' dn = 0
//   dp1 = H_A dn,   dp2 = dp2|n - R_AB H_B R_BA dn,   dd = n' dp2|n
// Source: optimality conditions differentiated as in [Montaut2022, Eqs. 14-18, 29].
// Differs from [Montaut2022]: written with the unit normal instead of the separation vector x* = p1 - p2,
// whose Hessians grow like 1/|x*| and whose matrix needs one case for each sign of d; this form is regular at
// d = 0.
template <class S>
WitnessDerivative<S> differentiate(const witness::Witness<S>& witness, const Pose<S>& X_AB,
                                   const Curvature<S>& A, const Curvature<S>& B, S size,
                                   const Clamp& clamp = {}) {
  using std::abs;
  if (witness.status == Status::kInvalidInput) return detail::invalid_derivative<S>();
  const Mat3<S>& R_AB = X_AB.R;
  const Vec3<S>& n = witness.n;
  const Vec3<S> m_B = -(R_AB.transpose() * n);
  const Vec3<S> s_B = R_AB.transpose() * (witness.p2 - X_AB.p);

  Mat36<S> dp2_fixed_n;  // motion of p2 while n is held
  dp2_fixed_n << R_AB * (B.H * skew(m_B) - skew(s_B)), R_AB;

  const Eigen::Matrix<S, 3, 2> T = detail::tangent_basis(n);
  const Mat3<S> H_B_A = R_AB * B.H * R_AB.transpose();
  const Eigen::Matrix<S, 2, 2> H_D = T.transpose() * (A.H + H_B_A) * T;
  const Eigen::Matrix<S, 2, 2> K = witness.distance * Eigen::Matrix<S, 2, 2>::Identity() + H_D;
  Eigen::Matrix<S, 2, 1> lambda;
  const Eigen::Matrix<S, 2, 2> Q = detail::eigenvectors(K, lambda);
  const Eigen::Matrix<S, 3, 2> E = T * Q;  // eigenvectors in A

  WitnessDerivative<S> result;
  result.clamped_count = 0;
  result.clamped_A.fill(Vec3<S>::Zero());
  const S scale = std::min(abs(witness.distance) + H_D.trace(), size);
  const S bound = S(clamp.relative) * scale + S(clamp.absolute) * size;
  for (int k = 0; k < 2; ++k) {
    if (lambda[k] >= bound) continue;
    lambda[k] = bound;
    result.clamped_A[result.clamped_count++] = E.col(k);
  }
  result.dn_A_dxi_B = E * lambda.cwiseInverse().asDiagonal() * (E.transpose() * dp2_fixed_n);
  result.dp1_A_dxi_B = A.H * result.dn_A_dxi_B;
  result.dp2_A_dxi_B = dp2_fixed_n - H_B_A * result.dn_A_dxi_B;
  // n' R_AB H_B = -(H_B m_B)' = 0 leaves the rigid motion of the point: no curvature, no rounding from it.
  const Vec3<S> turning = m_B.cross(s_B);
  for (int k = 0; k < 3; ++k) {
    result.dd_dxi_B[k] = turning[k];
    result.dd_dxi_B[3 + k] = -m_B[k];
  }
  const bool answered = witness.status != Status::kNotConverged;
  result.status = answered && result.clamped_count > 0 ? Status::kClamped : witness.status;
  return detail::finite(result) ? result : detail::invalid_derivative<S>();
}

}  // namespace abut::derivative
