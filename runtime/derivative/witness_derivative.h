#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "runtime/core/status.h"
#include "runtime/derivative/tangent.h"
#include "runtime/math/pose.h"
#include "runtime/witness/witness.h"

// Derivatives of the witness points of two convex sets with respect to their relative pose, computed from the
// curvatures of the two support functions at the witness normal. One formula covers separated, touching and
// penetrating pairs.
namespace abut::derivative {

// Curvature of a convex set at its support point, in the shape's own frame. `H` (m) is the Hessian of the
// support function h(n) = max <a, n> at a unit n: H n = 0, H is positive semidefinite, and its non-zero
// eigenvalues are the radii of curvature. `flat` holds the directions in which the set is flat there, where
// that Hessian is infinite: unit vectors orthogonal to n and to one another. `H` is the curvature orthogonal
// to them. A half-space has one normal: it is flat in both directions and `fixed`.
template <class S>
struct Curvature {
  Mat3<S> H = Mat3<S>::Zero();                                       // m
  int flat_count = 0;                                                // 0 to 2
  std::array<Vec3<S>, 2> flat = {Vec3<S>::Zero(), Vec3<S>::Zero()};  // zero beyond flat_count
  bool fixed = false;                                                // whether n is fixed to the body
};

// A `Curvature` in coordinates of a tangent basis of n.
template <class S>
struct TangentCurvature {
  Mat2<S> H = Mat2<S>::Zero();                                       // m
  int flat_count = 0;                                                // 0 to 2
  std::array<Vec2<S>, 2> flat = {Vec2<S>::Zero(), Vec2<S>::Zero()};  // zero beyond flat_count
  bool fixed = false;                                                // whether n is fixed to the body
};

// Expresses a curvature in the tangent basis `T` of the normal, both in the shape's frame.
template <class S>
TangentCurvature<S> on_plane(const Curvature<S>& shape, const Mat32<S>& T) {
  TangentCurvature<S> result{T.transpose() * shape.H * T, shape.flat_count, {}, shape.fixed};
  for (int k = 0; k < 2; ++k) result.flat[k] = T.transpose() * shape.flat[k];
  return result;
}

// Derivatives of a `witness::Witness` with respect to xi = (w; v) of X_AB exp(xi), xi in B (rad, m). Points,
// normal and distance are in frame A. Either all entries are finite, or all are NaN with
// Status::kInvalidInput.
template <class S>
struct WitnessDerivative {
  Mat36<S> dp1_A_dxi_B;  // (3, 6) witness point on A: m/rad and m/m
  Mat36<S> dp2_A_dxi_B;  // (3, 6) witness point on B
  Mat36<S> dn_A_dxi_B;   // (3, 6) unit normal from A to B: 1/rad and 1/m; columns orthogonal to n
  Row6<S> dd_dxi_B;  // (1, 6) signed distance: m/rad and m/m. Needs no curvature: exact wherever d is smooth
  // Number of directions, 0 to 2, in which no derivative exists and a finite value is returned instead:
  // directions in which the curvatures were raised to the bound of `Clamp`, or in which both bodies are flat
  // (the witness points slide freely; the shortest slide is taken, or that of a half-space alone). Flatness
  // is judged at the witness point only (by the simplex of a hull, by the position of the point on a box or a
  // segment). A point at the end of one of two parallel faces or edges, as half-spaces return it, is
  // therefore not recognised as flat, and the derivative is that of this point, one of several.
  int clamped_count;
  std::array<Vec3<S>, 2> clamped_A;  // those directions, unit, orthogonal to n; zero beyond clamped_count
  Status status;  // the witness's status; kClamped if that is a valid answer and clamped_count > 0
};

// Second derivatives of a witness with respect to xi in the chart X_AB exp(xi) at xi = 0; each matrix is
// symmetric. Units for two rotations, a rotation and a translation, two translations: points and distance
// m/rad^2, 1/rad and 1/m; normal 1/rad^2, 1/(rad m) and 1/m^2.
template <class S>
struct WitnessHessian {
  std::array<Mat6<S>, 3> p1_A, p2_A, n_A;  // one Hessian per component, in A
  Mat6<S> d;                               // of the signed distance
};

// Lower bound for the eigenvalues of d I + H_D on the tangent plane, H_D = H_A + H_B being the sum of both
// curvatures: relative min(|d| + trace H_D, size) + absolute size. The first term follows the scale of the
// curvature, so that an estimate of H that shrinks with |d| is not clamped away near touching; the cap by
// `size` keeps a nearly flat direction, whose radius says nothing about the other direction, from raising the
// bound. The second term keeps the derivative finite where all curvature vanishes.
struct Clamp {
  double relative = 1e-3;  // in units of min(|d| + trace H_D, size)
  double absolute = 1e-9;  // in units of the pair's size
};

namespace detail {

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

// The status of a derivative with `clamped_count` clamped directions: its witness's, or kClamped.
constexpr Status status_of_derivative(Status of_witness, int clamped_count) {
  const bool valid = of_witness != Status::kNotConverged && of_witness != Status::kInvalidInput;
  return valid && clamped_count > 0 ? Status::kClamped : of_witness;
}

// Whether all entries are finite, by one sum instead of sixty tests: the sum is finite unless an entry is not
// or is close to overflow (opposite infinities add up to NaN).
template <class S>
bool finite(const WitnessDerivative<S>& d) {
  using std::isfinite;
  return isfinite((d.dp1_A_dxi_B + d.dp2_A_dxi_B + d.dn_A_dxi_B).sum() + d.dd_dxi_B.sum());
}

// Gradient of the signed distance. It needs no curvature: dd = n' dp2|n, and since n' R_AB H_B = 0 only the
// rigid motion of B's point remains.
template <class S>
Row6<S> distance_gradient(const witness::Witness<S>& witness, const Pose<S>& X_AB) {
  const Vec3<S> n_B = X_AB.R.transpose() * witness.n;
  const Vec3<S> s_B = X_AB.R.transpose() * (witness.p2 - X_AB.p);
  Row6<S> dd;
  const Vec3<S> arm = s_B.cross(n_B);
  dd << arm.x(), arm.y(), arm.z(), n_B.x(), n_B.y(), n_B.z();
  return dd;
}

// Makes estimates of dp1, dp2, dn and dd consistent: projects dn to be orthogonal to n, then takes the
// residual of dp2 - dp1 = dd n + d dn from both points in equal parts.
template <class S>
void restore_witness_equation(const witness::Witness<S>& witness, WitnessDerivative<S>& result) {
  const Vec3<S>& n = witness.n;
  result.dn_A_dxi_B -= n * (n.transpose() * result.dn_A_dxi_B).eval();
  const Mat36<S> missing =
      result.dp2_A_dxi_B - result.dp1_A_dxi_B - n * result.dd_dxi_B - witness.distance * result.dn_A_dxi_B;
  result.dp1_A_dxi_B += missing / 2;
  result.dp2_A_dxi_B -= missing / 2;
}

}  // namespace detail

// Computes the derivative of `witness` (of A and B posed by X_AB) from the curvatures in the tangent basis
// `T` of n (in A), whose expression in B is R_BA T. `size` (m) is a length of the pair, used for `clamp`
// only. Never throws; invalid or overflowing input gives NaN everywhere. S: double or long double.
//
// With the normal n held fixed only the point of B moves; then n turns until p2 - p1 = d n holds again:
//   dp2|n = R_AB [ H_B [m]  - [s_B]   I ] xi,   m = -R_BA n,  s_B = p2 in B
//   (d I + H_D) dn = P dp2|n,   P = I - n n',   H_D = P (H_A + R_AB H_B R_BA) P,   n' dn = 0
//   dp1 = H_A dn,   dp2 = dp2|n - R_AB H_B R_BA dn,   dd = n' dp2|n
// On the tangent plane the unknown is y = T'dn. Where an eigenvalue of d I + H_D is below the bound of
// `Clamp`, both H_A and H_B are raised by half of the deficit: the result is the exact one of a pair with
// these curvatures, so that dp2 - dp1 = dd n + d dn holds there too. A flat direction a of A requires a'dn =
// 0 and lets p1 slide along a; one of B requires the same in B's frame. Where both bodies are flat in the
// same direction, n turns by the mean of both constraints, unless one body is a half-space: n is then fixed
// to it, and only its point slides. Source: optimality conditions
// differentiated as in [Montaut2022, Eqs. 14-18, 29]. Differs from [Montaut2022]: written with the unit
// normal instead of the separation vector x* = p1 - p2, whose Hessians grow like 1/|x*| and whose matrix
// needs one case for each sign of d; this form is regular at d = 0. Flat directions, infinite entries of H
// there, are constraints here.
template <class S>
WitnessDerivative<S> differentiate(const witness::Witness<S>& witness, const Pose<S>& X_AB, const Mat32<S>& T,
                                   const TangentCurvature<S>& A, const TangentCurvature<S>& B, S size,
                                   const Clamp& clamp = {});

// The same from curvatures in the frames of A and of B.
template <class S>
WitnessDerivative<S> differentiate(const witness::Witness<S>& witness, const Pose<S>& X_AB,
                                   const Curvature<S>& A, const Curvature<S>& B, S size,
                                   const Clamp& clamp = {});

}  // namespace abut::derivative
