#include "runtime/derivative/witness_derivative.h"

#include <algorithm>

namespace abut::derivative {

namespace detail {

// An orthonormal basis of the tangent plane, the columns of Q. F_A and F_B are the projectors on the flat
// directions of A and of B, `held` the eigenvalues of F_A + F_B: where held[k] > 0, flat directions constrain
// the normal along column k; elsewhere stiffness[k], that of K = d I + H_A + H_B, resists its turn. Beside a
// body to which the normal is fixed, flat directions of the other constrain nothing: their projector is 0.
template <class S>
struct TangentFrame {
  Mat2<S> Q, F_A = Mat2<S>::Zero(), F_B = Mat2<S>::Zero();
  Vec2<S> held = Vec2<S>::Zero(), stiffness;
  int first = 0;  // column along which most flat directions lie
};

template <class S>
TangentFrame<S> tangent_frame(const Mat2<S>& K, const TangentCurvature<S>& A, const TangentCurvature<S>& B) {
  constexpr S kParallel = S(1e-8);  // squared sine below which flat directions are parallel
  TangentFrame<S> frame;
  if (A.flat_count + B.flat_count == 0) {
    frame.Q = eigenvectors(K, frame.stiffness);
    return frame;
  }
  for (int k = 0; k < A.flat_count; ++k) frame.F_A += A.flat[k] * A.flat[k].transpose();
  for (int k = 0; k < B.flat_count; ++k) frame.F_B += B.flat[k] * B.flat[k].transpose();
  frame.Q = eigenvectors<S>(frame.F_A + frame.F_B, frame.held);
  frame.first = frame.held[0] > frame.held[1] ? 0 : 1;
  if (A.fixed || B.fixed) {
    (A.fixed ? frame.F_B : frame.F_A).setZero();
    frame.held.setOnes();
  }
  for (int k = 0; k < 2; ++k) {
    if (frame.held[k] <= kParallel) frame.held[k] = 0;
    frame.stiffness[k] = frame.Q.col(k).dot(K * frame.Q.col(k));
  }
  return frame;
}

// Motion in the tangent plane as a function of xi: y, the turn of the normal, and the slides of both points
// along their flat directions, from
//   K y + slide_A - slide_B = b,   a'y = 0 for A's flat directions a, b'(y - B_turn xi) = 0 for B's.
// The constraints determine y in their span, K in its complement.
template <class S>
struct TangentMotion {
  Mat26<S> turn = Mat26<S>::Zero(), slide_A = Mat26<S>::Zero(), slide_B = Mat26<S>::Zero();
};

template <class S>
TangentMotion<S> move(const TangentFrame<S>& frame, const Mat2<S>& K, const Mat26<S>& b,
                      const Eigen::Matrix<S, 2, 3>& B_turn) {
  TangentMotion<S> motion;
  const Mat2<S>& Q = frame.Q;
  if (!(frame.held.sum() > 0)) {
    motion.turn = Mat2<S>(Q * frame.stiffness.cwiseInverse().asDiagonal() * Q.transpose()) * b;
    return motion;
  }
  Vec2<S> inverse = Vec2<S>::Zero();
  for (int k = 0; k < 2; ++k) {
    if (!(frame.held[k] > 0)) continue;
    inverse[k] = 1 / frame.held[k];
    // A's flat directions keep the normal fixed, B's turn it with B: the least-squares turn of both
    // constraints
    motion.turn.template leftCols<3>() +=
        Q.col(k) * (inverse[k] * (Q.col(k).transpose() * frame.F_B * B_turn)).eval();
  }
  for (int k = 0; k < 2; ++k) {
    if (frame.held[k] > 0) continue;
    motion.turn += Q.col(k) * (Q.col(k).transpose() * (b - K * motion.turn)).eval() / frame.stiffness[k];
  }
  const Mat26<S> slide = Q * inverse.asDiagonal() * (Q.transpose() * (b - K * motion.turn));
  motion.slide_A = frame.F_A * slide;
  motion.slide_B = -frame.F_B * slide;
  return motion;
}

}  // namespace detail

template <class S>
WitnessDerivative<S> differentiate(const witness::Witness<S>& witness, const Pose<S>& X_AB, const Mat32<S>& T,
                                   const TangentCurvature<S>& A, const TangentCurvature<S>& B, S size,
                                   const Clamp& clamp) {
  using std::abs;
  if (witness.status == Status::kInvalidInput) return detail::invalid_derivative<S>();
  const Eigen::Matrix<S, 2, 3> U = T.transpose() * X_AB.R;
  const Vec3<S> s_B = X_AB.R.transpose() * (witness.p2 - X_AB.p);
  // T'(w x n): turn of a normal fixed to B as B turns by w; (t1, t2, n) is right-handed
  Eigen::Matrix<S, 2, 3> B_turn;
  B_turn << U.row(1), -U.row(0);
  Mat26<S> b;  // T' of the motion of B's point: first fixed to B, below with n held instead
  for (int k = 0; k < 2; ++k) {
    const Vec3<S> arm = s_B.cross(Vec3<S>(U(k, 0), U(k, 1), U(k, 2)));
    b.row(k) << arm.x(), arm.y(), arm.z(), U(k, 0), U(k, 1), U(k, 2);
  }

  Mat2<S> H_A = A.H, H_B = B.H, K = witness.distance * Mat2<S>::Identity() + H_A + H_B;
  const S scale = std::min(abs(witness.distance) + H_A.trace() + H_B.trace(), size);
  const S bound = S(clamp.relative) * scale + S(clamp.absolute) * size;
  detail::TangentFrame<S> frame = detail::tangent_frame(K, A, B);
  WitnessDerivative<S> result;
  result.clamped_count = 0;
  result.clamped_A.fill(Vec3<S>::Zero());
  const auto report = [&](int k) { result.clamped_A[result.clamped_count++] = T * frame.Q.col(k); };
  for (int k = 0; k < 2; ++k) {
    if (frame.held[k] > 0 || frame.stiffness[k] >= bound) continue;
    const Mat2<S> raise = (bound - frame.stiffness[k]) * frame.Q.col(k) * frame.Q.col(k).transpose();
    H_A += raise / 2;
    H_B += raise / 2;
    K += raise;
    frame.stiffness[k] = bound;
    report(k);
  }
  // More flat directions than the plane has dimensions: the points slide together along directions in which
  // both bodies are flat.
  const int rank = (frame.held[0] > 0) + (frame.held[1] > 0);
  int shared = A.flat_count + B.flat_count - rank;
  for (const int k : {frame.first, 1 - frame.first})
    if (shared-- > 0 && result.clamped_count < 2) report(k);

  b.template leftCols<3>() += H_B * B_turn;
  const detail::TangentMotion<S> motion = detail::move(frame, K, b, B_turn);
  Mat26<S> on_A = H_A * motion.turn + motion.slide_A;  // T' of the motion of p1; on_B: of p2
  Mat26<S> on_B = b - H_B * motion.turn + motion.slide_B;
  const Mat26<S> rounding = on_B - on_A - witness.distance * motion.turn;  // large where curvatures are large
  on_A += rounding / 2;
  on_B -= rounding / 2;

  result.dd_dxi_B = detail::distance_gradient(witness, X_AB);
  result.dn_A_dxi_B.noalias() = T * motion.turn;
  result.dp1_A_dxi_B.noalias() = T * on_A;
  result.dp2_A_dxi_B.noalias() = T * on_B;
  result.dp2_A_dxi_B.noalias() += witness.n * result.dd_dxi_B;
  result.status = detail::status_of_derivative(witness.status, result.clamped_count);
  return detail::finite(result) ? result : detail::invalid_derivative<S>();
}

template <class S>
WitnessDerivative<S> differentiate(const witness::Witness<S>& witness, const Pose<S>& X_AB,
                                   const Curvature<S>& A, const Curvature<S>& B, S size, const Clamp& clamp) {
  const Mat32<S> T = tangent_basis(witness.n), T_B = X_AB.R.transpose() * T;
  return differentiate<S>(witness, X_AB, T, on_plane(A, T), on_plane(B, T_B), size, clamp);
}

template WitnessDerivative<double> differentiate(const witness::Witness<double>&, const Pose<double>&,
                                                 const Mat32<double>&, const TangentCurvature<double>&,
                                                 const TangentCurvature<double>&, double, const Clamp&);
template WitnessDerivative<double> differentiate(const witness::Witness<double>&, const Pose<double>&,
                                                 const Curvature<double>&, const Curvature<double>&, double,
                                                 const Clamp&);
template WitnessDerivative<long double> differentiate(const witness::Witness<long double>&,
                                                      const Pose<long double>&, const Mat32<long double>&,
                                                      const TangentCurvature<long double>&,
                                                      const TangentCurvature<long double>&, long double,
                                                      const Clamp&);
template WitnessDerivative<long double> differentiate(const witness::Witness<long double>&,
                                                      const Pose<long double>&, const Curvature<long double>&,
                                                      const Curvature<long double>&, long double,
                                                      const Clamp&);

}  // namespace abut::derivative
