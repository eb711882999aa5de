#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "runtime/core/status.h"
#include "runtime/derivative/tangent.h"
#include "runtime/math/pose.h"
#include "runtime/witness/witness.h"

// Derivatives of the witness points of two convex sets with respect to their relative pose, from the
// curvatures of the two support functions at the witness normal. One formula for separated, touching and
// penetrating pairs.
namespace abut::derivative {

// Curvature of a convex set at its support point, in the shape's own frame: H, the Hessian of the support
// function h(n) = max <a, n> at a unit n, m (H n = 0, positive semidefinite, its non-zero eigenvalues are the
// radii of curvature), and the directions in which the set is flat there, where that Hessian is infinite:
// unit vectors orthogonal to n and to one another. H is the curvature across them.
template <class S>
struct Curvature {
  Mat3<S> H = Mat3<S>::Zero();                                       // m
  int flat_count = 0;                                                // 0 to 2
  std::array<Vec3<S>, 2> flat = {Vec3<S>::Zero(), Vec3<S>::Zero()};  // zero beyond flat_count
};

// The same in coordinates of a tangent basis of n.
template <class S>
struct TangentCurvature {
  Mat2<S> H = Mat2<S>::Zero();                                       // m
  int flat_count = 0;                                                // 0 to 2
  std::array<Vec2<S>, 2> flat = {Vec2<S>::Zero(), Vec2<S>::Zero()};  // zero beyond flat_count
};

// A curvature in the tangent basis T of the normal, both in the shape's frame.
template <class S>
TangentCurvature<S> on_plane(const Curvature<S>& shape, const Mat32<S>& T) {
  TangentCurvature<S> result{T.transpose() * shape.H * T, shape.flat_count, {}};
  for (int k = 0; k < 2; ++k) result.flat[k] = T.transpose() * shape.flat[k];
  return result;
}

// Derivatives of a witness.h result with respect to xi = (w; v) of X_AB exp(xi), xi in B (rad, m). Points,
// normal and distance are in frame A. All finite, or all NaN with Status::kInvalidInput.
template <class S>
struct WitnessDerivative {
  Mat36<S> dp1_A_dxi_B;  // (3, 6) witness point on A: m/rad and m/m
  Mat36<S> dp2_A_dxi_B;  // (3, 6) witness point on B
  Mat36<S> dn_A_dxi_B;   // (3, 6) unit normal from A to B: 1/rad and 1/m; columns orthogonal to n
  Row6<S>
      dd_dxi_B;  // (1, 6) signed distance: m/rad and m/m. It needs no curvature: exact wherever d is smooth
  // Directions, 0 to 2, in which no derivative exists and a finite answer was put in its place: where the
  // curvatures were raised to Clamp's bound, or the points where both bodies are flat (the witness points
  // slide freely; the shortest slide is taken). Flat is what the witness point says of it (the simplex of a
  // hull, where the point is on a box or a segment): a point that is an end of one of two parallel faces or
  // edges, as half-spaces have it, is not seen, and the answer is that of this point, one of several.
  int clamped_count;
  std::array<Vec3<S>, 2> clamped_A;  // those directions, unit, orthogonal to n; zero beyond clamped_count
  Status status;  // the witness's own; kClamped where it is an answer and clamped_count > 0
};

// Second derivatives of a witness by xi in the chart X_AB exp(xi) at xi = 0: symmetric. Of points and
// distance m/rad^2, 1/rad and 1/m, of the normal 1/rad^2, 1/(rad m) and 1/m^2.
template <class S>
struct WitnessHessian {
  std::array<Mat6<S>, 3> p1_A, p2_A, n_A;  // by component, in A
  Mat6<S> d;                               // of the signed distance
};

// Lower bound of the eigenvalues of d I + H_D on the tangent plane:
// relative min(|d| + trace H_D, size) + absolute size. The first term follows the curvature's scale (an
// estimate of H that shrinks with |d| is not clamped away near touching), but not into a flat direction,
// whose radius says nothing about the other one; the second keeps the derivative finite where all vanishes.
struct Clamp {
  double relative = 1e-3;  // to the curvature's scale
  double absolute = 1e-9;  // to the pair's size
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

// One sum instead of sixty questions: it is finite unless an entry is not, or is near the end of the range
// (opposite infinities add up to NaN).
template <class S>
bool finite(const WitnessDerivative<S>& d) {
  using std::isfinite;
  return isfinite((d.dp1_A_dxi_B + d.dp2_A_dxi_B + d.dn_A_dxi_B).sum() + d.dd_dxi_B.sum());
}

// Gradient of the signed distance, needing no curvature: dd = n' dp2|n, and n' R_AB H_B = 0 leaves the rigid
// motion of B's point.
template <class S>
Row6<S> distance_gradient(const witness::Witness<S>& witness, const Pose<S>& X_AB) {
  const Vec3<S> n_B = X_AB.R.transpose() * witness.n;
  const Vec3<S> s_B = X_AB.R.transpose() * (witness.p2 - X_AB.p);
  Row6<S> dd;
  const Vec3<S> arm = s_B.cross(n_B);
  dd << arm.x(), arm.y(), arm.z(), n_B.x(), n_B.y(), n_B.z();
  return dd;
}

// Completes estimates of dp1, dp2, dn and dd: dn becomes orthogonal to n, and what
// dp2 - dp1 = dd n + d dn lacks is taken from both points in equal parts.
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

// Derivative of `witness` (of A and B posed by X_AB) from the curvatures in the tangent basis T of n (in A),
// which stands in B as R_BA T. `size` (m) is a length of the pair, for Clamp only. Never throws; invalid or
// overflowing input gives NaN everywhere. S: double or long double.
//
// With the normal n held fixed only the point of B moves; then n turns until p2 - p1 = d n holds again:
//   dp2|n = R_AB [ H_B [m]  - [s_B]   I ] xi,   m = -R_BA n,  s_B = p2 in B
//   (d I + H_D) dn = P dp2|n,   P = I - n n',   H_D = P (H_A + R_AB H_B R_BA) P,   n' dn = 0
//   dp1 = H_A dn,   dp2 = dp2|n - R_AB H_B R_BA dn,   dd = n' dp2|n
// On the tangent plane this is y = T'dn. Where an eigenvalue of d I + H_D is below Clamp's bound, both H_A
// and H_B are raised by half of what it lacks: the answer is that of a pair with these curvatures, so that
// dp2 - dp1 = dd n + d dn holds there too. A flat direction a of A asks a'dn = 0 and lets p1 slide along a;
// one of B asks the same in B's frame. Source: optimality conditions differentiated as in [Montaut2022, Eqs.
// 14-18, 29]. Differs from [Montaut2022]: written with the unit normal instead of the separation vector x* =
// p1 - p2, whose Hessians grow like 1/|x*| and whose matrix needs one case for each sign of d; this form is
// regular at d = 0. Flat directions, infinite entries of H there, are constraints here.
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
