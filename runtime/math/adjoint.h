#pragma once

#include "runtime/math/pose.h"

// Frame changes of twists and wrenches, and their derivatives (docs/conventions.md).
namespace abut {

// Adjoint Ad(X_AB), (6, 6): V_A = Ad(X_AB) V_B, where V_B and V_A are one twist (w; v), taken at Bo in B and
// at Ao in A.
template <class S>
Mat6<S> adjoint(const Pose<S>& X_AB) {
  Mat6<S> Ad;
  Ad << X_AB.R, Mat3<S>::Zero(), skew(X_AB.p) * X_AB.R, X_AB.R;
  return Ad;
}

// ad(V), (6, 6): the derivative of Ad(exp(t V)) with respect to t at t = 0.
template <class S>
Mat6<S> adjoint_derivative(const Vec6<S>& V) {
  const Mat3<S> w = skew<S>(V.template head<3>());
  Mat6<S> ad;
  ad << w, Mat3<S>::Zero(), skew<S>(V.template tail<3>()), w;
  return ad;
}

// Wrench (tau; f) about Ao in A that is equivalent to the wrench F about Bo in B: f_A = R_AB f_B, tau_A =
// R_AB tau_B + p_AB x f_A.
template <class S>
Vec6<S> shift_wrench(const Pose<S>& X_AB, const Vec6<S>& F_Bo_B) {
  Vec6<S> F_Ao_A;
  const Vec3<S> f_A = X_AB.R * F_Bo_B.template tail<3>();
  F_Ao_A << X_AB.R * F_Bo_B.template head<3>() + X_AB.p.cross(f_A), f_A;
  return F_Ao_A;
}

// Twist of B relative to A, at Bo in B, from each body's own twist (V_A at Ao in A, V_B at Bo in B).
template <class S>
Vec6<S> relative_twist(const Pose<S>& X_AB, const Vec6<S>& V_A, const Vec6<S>& V_B) {
  return V_B - adjoint(X_AB.inverse()) * V_A;
}

}  // namespace abut
