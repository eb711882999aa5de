#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/core/simd.h"
#include "runtime/math/pose.h"

// Exact impulse of one contact under Coulomb's law with a circular cone, with the impulses of all other
// contacts held.
//
// In the frame (n, t1, t2) the velocity after impulse r is u = W r + b, with W symmetric positive definite.
// The law: 0 <= u_n complementary to r_n >= 0; |r_t| <= mu r_n; where u_t is not zero, r_t = -mu r_n
// u_t/|u_t|.
//   b_n >= 0: the contact opens, r = 0. Otherwise u_n = 0 gives r_n = beta - w'r_t with beta = -b_n/W_nn,
//   w = W_nt/W_nn, and u_t = S r_t + c with S = W_tt - W_nn w w', c = b_t + W_nn beta w.
//   Sticking: S r_t = -c. Sliding: u_t = -s r_t with s > 0, so that r_t(s) = -(S + s I)^-1 c and
//   |r_t(s)| = mu r_n(s). The difference of the two sides is positive at s = 0 (or the contact sticks) and
//   tends to -mu beta < 0 as s grows without bound: there always is a root, whatever mu.
// With the eigenvectors of S for t1 and t2 everything is explicit. The unknown is q = 1/(mean of S + s), in
// which the equation is linear for equal eigenvalues and nearly linear otherwise.
namespace abut::dynamics {

// The data of the law that stay constant while impulses are sought. t1 and t2 must diagonalise S.
template <class S>
struct CoulombContact {
  S W_nn = 0;                         // 1/kg; 0: no impulse along n moves the contact
  S w1 = 0, w2 = 0;                   // W_nt / W_nn
  S sigma = 0, half = 0;              // eigenvalues of S: sigma + half >= sigma - half > 0
  S mu = 0;                           // Coulomb friction coefficient, >= 0
  S per_n = 0, per_1 = 0, per_2 = 0;  // 1/W_nn, 1/(sigma + half), 1/(sigma - half)

  // Returns W r, the velocity that impulse r produces.
  Vec3<S> velocity(const Vec3<S>& r) const {
    const S u_n = W_nn * (r[0] + w1 * r[1] + w2 * r[2]);
    return {u_n, w1 * u_n + (sigma + half) * r[1], w2 * u_n + (sigma - half) * r[2]};
  }

  // Mean of W's two tangential diagonal entries.
  S mean_tangential() const { return sigma + W_nn * (w1 * w1 + w2 * w2) / 2; }

  // Returns the nearest impulse in the cone with the same normal part; zero unless that is positive.
  Vec3<S> into_cone(const Vec3<S>& r) const {
    using std::sqrt;
    if (!(r[0] > 0)) return Vec3<S>::Zero();
    const S length = sqrt(r[1] * r[1] + r[2] * r[2]), bound = mu * r[0];
    if (length <= bound) return r;
    return {r[0], r[1] * (bound / length), r[2] * (bound / length)};
  }

  // Returns the square of the violation of the law by impulse r and velocity u, expressed as a velocity; zero
  // where they obey it.
  ABUT_INLINE S violation(const S* r, const S* u) const {
    using std::sqrt;
    const S W_tt = mean_tangential(), per_t = 1 / W_tt;
    const S d_n = r[0] - u[0] * per_n, d1 = r[1] - u[1] * per_t, d2 = r[2] - u[2] * per_t;
    if (!(d_n > 0)) return W_nn * W_nn * r[0] * r[0] + W_tt * W_tt * (r[1] * r[1] + r[2] * r[2]);
    const S square = d1 * d1 + d2 * d2, bound = mu * d_n;
    const S shrink = square > bound * bound ? bound / sqrt(square) : S(1);
    const S e1 = r[1] - d1 * shrink, e2 = r[2] - d2 * shrink;
    return u[0] * u[0] + W_tt * W_tt * (e1 * e1 + e2 * e2);
  }

  // Computes the impulse r (n, t1, t2) that obeys the law, given the finite velocity b without it. |r_t| <=
  // mu r_n holds up to one rounding. `q`: in, the q of an earlier sliding solution as a guess, or 0; out,
  // that of this solution if it slides. The first call finds the direction of a sliding impulse to 1e-6; a
  // further call with the q it returned finds it to rounding.
  ABUT_INLINE void impulse(const S* b, S& q, S* r) const;

  // The same, with the impulse returned.
  Vec3<S> impulse(const Vec3<S>& b, S& q) const {
    Vec3<S> r;
    impulse(b.data(), q, r.data());
    return r;
  }
};

namespace detail {

// Returns the root q in (0, 1/sigma] of |r_t| - mu r_n by Newton's method between shrinking bounds, from
// `guess` if that lies within. Stops once q changes by at most 1e-3 of itself: as convergence is quadratic,
// an error of 1e-6 is left.
template <class S>
ABUT_INLINE S sliding_root(const CoulombContact<S>& contact, S beta, S c1, S c2, S guess) {
  using std::abs, std::sqrt;
  const S mu = contact.mu, half = contact.half;
  const S wc1 = contact.w1 * c1, wc2 = contact.w2 * c2;
  S low = 0, high = 1 / contact.sigma;
  S q = guess;
  if (!(q > 0 && q < high)) {
    const S slope = sqrt(c1 * c1 + c2 * c2) - mu * (wc1 + wc2);  // at q = 0
    q = mu * beta < high * slope ? mu * beta / slope : high;
  }
  // With f1 = 1 + half q and f2 = 1 - half q, both sides are multiplied by f1 f2: |r_t| = q L/(f1 f2), L =
  // |(c1 f2, c2 f1)|.
  for (int k = 0; k < 60; ++k) {
    const S f1 = 1 + half * q, f2 = 1 - half * q;
    const S a1 = c1 * f2, a2 = c2 * f1;
    const S length = sqrt(a1 * a1 + a2 * a2);
    const S value = q * length - mu * (beta * f1 * f2 + q * (wc1 * f2 + wc2 * f1));
    const S slope = a1 * a1 * f2 + a2 * a2 * f1 - mu * length * (wc1 * f2 * f2 + wc2 * f1 * f1);
    (value > 0 ? high : low) = q;
    S next = q - value * length * (f1 * f2) / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    const S step = abs(next - q);
    q = next;
    if (step <= S(1e-3) * q) break;
  }
  return q;
}

}  // namespace detail

template <class S>
ABUT_INLINE void CoulombContact<S>::impulse(const S* b, S& q, S* r) const {
  using std::sqrt;
  r[0] = r[1] = r[2] = 0;
  if (!(b[0] < 0)) return;
  const S beta = -b[0] * per_n;
  r[0] = beta;
  if (mu == 0) return;
  const S c1 = b[1] - w1 * b[0], c2 = b[2] - w2 * b[0];
  S r1 = -c1 * per_1, r2 = -c2 * per_2;
  S rn = beta - w1 * r1 - w2 * r2;
  S shrink = 1;
  if (!(rn >= 0 && r1 * r1 + r2 * r2 <= mu * mu * rn * rn)) {
    q = detail::sliding_root(*this, beta, c1, c2, q);
    const S f1 = 1 + half * q, f2 = 1 - half * q;
    r1 = -c1 * f2;
    r2 = -c2 * f1;
    rn = beta - q / (f1 * f2) * (w1 * r1 + w2 * r2);
    if (rn < 0) rn = 0;
    shrink = mu * rn / sqrt(r1 * r1 + r2 * r2);  // makes the friction bound hold exactly
  }
  r[0] = rn;
  r[1] = r1 * shrink;
  r[2] = r2 * shrink;
}

}  // namespace abut::dynamics
