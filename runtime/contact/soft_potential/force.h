#pragma once

#include "runtime/contact/soft/plane_force.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/ssdf/taylor.h"

// The force of the soft potential on samples of a surface, and the sums over samples of wrenches and of their
// derivatives; one sample per lane (runtime/core/simd.h). A sample is at y in the frame of the field's owner
// and moves with v relative to it; Phi is the field there, g its gradient, n = g / l (1 + d^2 / (2 l^2)) with
// l^2 = g . g + d^2 and d = kFlat:
//   f = k a c(Phi) D(chi n . v) (g - mu (n . g) t),   t = v_t / sqrt(v_s^2 + |v_t|^2),
//   v_t = (n . n) v - n (n . v),
// where c is -P' of soft_potential.h and D the damping of soft_minimum.h. At rest f = -k a grad P(Phi). n is
// of unit length but for (3/8) (d / |g|)^4, 2e-6 where |g| = 1, and v_t is perpendicular to n whatever its
// length: what moves along the normal alone has no friction.
namespace abut::contact::internal {

using ssdf::internal::kSecondPlaces;
using ssdf::internal::kThirdPlaces;
using ssdf::internal::second_place;
using ssdf::internal::Taylor;

// Where the force begins to fade, as a fraction of where it ends.
inline constexpr double kFading = 0.75;

// d: slope below which the field has no clear direction, as in the middle of a thin wall.
inline constexpr double kFlat = 0.05;

// P (m^2) and -P', -P'', -P'''.
template <class T>
struct Push {
  T energy, c, c1, c2;
};

// Multiplies by the window that falls from 1 to 0 as z = Phi / eps3 goes from `fading` to `faded`:
// 35 w^4 - 84 w^5 + 70 w^6 - 20 w^7 with w = (faded - z) / (faded - fading). In units of eps3.
template <class T, class S>
ABUT_INLINE void fade(const T& z, S fading, S faded, Push<T>& push) {
  const S rate = -1 / (faded - fading);
  T w, zero{}, one;
  simd::fill<T>(1.0, one);
  simd::greatest<T>((z - faded) * rate, zero, w);
  simd::least<T>(w, one, w);
  const T x = 1.0 - w, w2 = w * w, x2 = x * x;
  const T s = w2 * w2 * (35.0 + w * (-84.0 + w * (70.0 - 20.0 * w)));
  const T s1 = rate * (140.0 * w2 * w * x2 * x), s2 = (rate * rate) * (420.0 * w2 * x2 * (x - w));
  const T s3 = (rate * rate * rate) * (840.0 * w * x * (1.0 - 5.0 * w * x));
  const T P = push.energy, c = push.c, c1 = push.c1, c2 = push.c2;
  push.energy = P * s;
  push.c = c * s - P * s1;
  push.c1 = c1 * s + 2.0 * c * s1 - P * s2;
  push.c2 = c2 * s + 3.0 * (c1 * s1 + c * s2) - P * s3;
}

// P = s^2 / 2, s = eps3 ln(1 + exp(-Phi / eps3)), times the window where it fades.
template <class T, class S>
ABUT_INLINE void push_at(const T& phi, const PotentialLaw<S>& law, Push<T>& push) {
  const S eps3 = law.eps3, fading = S(kFading) * law.faded;
  const T z = phi * (1 / eps3), zero{};
  T size, e, log, below;
  simd::greatest<T>(z, -z, size);
  simd::exponential<T>(-size, e);
  simd::log_one_plus(e, log);
  simd::greatest<T>(-z, zero, below);
  const T s = below + log, far = 1.0 / (1.0 + e), near = e * far;
  const T sigma = z > zero ? near : far, rest = z > zero ? far : near;
  push.energy = 0.5 * s * s;
  push.c = s * sigma;
  push.c1 = -sigma * (sigma + s * rest);
  push.c2 = sigma * rest * (3.0 * sigma + s * (rest - sigma));
  if (simd::any<T>(z > zero + fading)) fade(z, fading, law.faded, push);
  push.energy = push.energy * (eps3 * eps3);
  push.c = push.c * eps3;
  push.c2 = push.c2 * (1 / eps3);
}

// A force and its derivatives: by_y[3 a + b] = df_a/dy_b, by_v likewise; by_yy[6 a + m].
template <class T, int kOrder>
struct SampleForce {
  T f[3];
  T by_y[kOrder > 0 ? 9 : 1], by_v[kOrder > 0 ? 9 : 1], by_yy[kOrder > 1 ? 18 : 1];
};

// The force without friction and damping: f = q g, q = k a c.
template <int kOrder, class T>
ABUT_INLINE void still_force(const T& ka, const Push<T>& push, const Taylor<T, kOrder + 1>& phi,
                             SampleForce<T, kOrder>& out) {
  const T *const g = phi.first, *const H = phi.second, q = ka * push.c;
  for (int a = 0; a < 3; ++a) out.f[a] = q * g[a];
  if constexpr (kOrder > 0) {
    const T q1 = ka * push.c1;
    for (int m = 0; m < 6; ++m) {
      const int a = kSecondPlaces[m][0], b = kSecondPlaces[m][1];
      out.by_y[3 * a + b] = out.by_y[3 * b + a] = q1 * g[a] * g[b] + q * H[m];
    }
    if constexpr (kOrder > 1) {
      const T q2 = ka * push.c2;
#pragma GCC unroll 10
      for (int m = 0; m < 10; ++m) {
        const int a = kThirdPlaces[m][0], b = kThirdPlaces[m][1], c = kThirdPlaces[m][2];
        const int ab = second_place(a, b), ac = second_place(a, c), bc = second_place(b, c);
        const T all =
            q2 * g[a] * g[b] * g[c] + q * phi.third[m] + q1 * (g[a] * H[bc] + g[b] * H[ac] + g[c] * H[ab]);
        out.by_yy[6 * a + bc] = out.by_yy[6 * b + ac] = out.by_yy[6 * c + ab] = all;
      }
    }
  }
}

// The force with friction and damping: value and first derivatives.
template <int kOrder, class T, class S>
ABUT_INLINE void moving_force(const T& ka, const Push<T>& push, const Taylor<T, 2>& phi, const T* v,
                              const PotentialLaw<S>& law, SampleForce<T, kOrder>& out) {
  const T* const g = phi.first;
  const T slope2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  T length, n[3], t[3], unit;
  simd::square_root<T>(slope2 + kFlat * kFlat, length);
  const T over = 1.0 / length, blunt = (0.5 * kFlat * kFlat) * over * over, sharp = over * (1.0 + blunt);
  for (int a = 0; a < 3; ++a) n[a] = g[a] * sharp;
  const T speed = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
  const T size2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  for (int a = 0; a < 3; ++a) t[a] = size2 * v[a] - speed * n[a];
  unit_of_squares<T, S>(t, unit);
  T root = law.stiction * unit;
  root = root * root;
  for (int a = 0; a < 3; ++a) root += (t[a] * unit) * (t[a] * unit);
  simd::square_root(root, root);
  const T inverse = unit / root, q = ka * push.c, grip = law.friction * slope2 * sharp;
  Damping<T> d;
  damping<T, S>(speed * law.damping, DampingLaw::kTwiceDifferentiable, d);
  T h[3];  // g - mu (n . g) t
  for (int a = 0; a < 3; ++a) {
    t[a] = t[a] * inverse;
    h[a] = g[a] - grip * t[a];
    out.f[a] = q * d.d * h[a];
  }
  if constexpr (kOrder > 0) {
    const T steep = ka * push.c1 * d.d, damped = q * d.d1 * law.damping, held = q * d.d;
    T H[9], gH[3], B[9], nB[3], vB[3], tB[3], w[3];  // B = dn/dy
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) H[3 * a + b] = phi.second[second_place(a < b ? a : b, a < b ? b : a)];
    for (int b = 0; b < 3; ++b) gH[b] = g[0] * H[b] + g[1] * H[3 + b] + g[2] * H[6 + b];
    const T bent = over * over * over * (1.0 + 3.0 * blunt);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) B[3 * a + b] = sharp * H[3 * a + b] - bent * g[a] * gH[b];
    const T along = t[0] * v[0] + t[1] * v[1] + t[2] * v[2];
    for (int b = 0; b < 3; ++b) {
      w[b] = v[b] - along * t[b];  // (I - t t') v; n is perpendicular to t
      nB[b] = n[0] * B[b] + n[1] * B[3 + b] + n[2] * B[6 + b];
      vB[b] = v[0] * B[b] + v[1] * B[3 + b] + v[2] * B[6 + b];
      tB[b] = t[0] * B[b] + t[1] * B[3 + b] + t[2] * B[6 + b];
    }
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        T turn = -(n[a] * n[b] + size2 * t[a] * t[b]);  // dt/dv = (I - t t') (n . n I - n n') / root
        if (a == b) turn += size2;
        const T dt_dy = (2.0 * w[a] * nB[b] - speed * (B[3 * a + b] - t[a] * tB[b]) - n[a] * vB[b]) * inverse;
        const T rise = n[0] * H[b] + n[1] * H[3 + b] + n[2] * H[6 + b] + g[0] * B[b] + g[1] * B[3 + b] +
                       g[2] * B[6 + b];  // of n . g
        out.by_v[3 * a + b] = damped * h[a] * n[b] - held * grip * inverse * turn;
        out.by_y[3 * a + b] = steep * h[a] * g[b] + damped * h[a] * vB[b] +
                              held * (H[3 * a + b] - law.friction * t[a] * rise - grip * dt_dy);
      }
  }
}

// Sums over samples of the wrench on the field's owner, about a point C of it in its axes, as in PairSums
// (pair_sums.h), y from C: value[6] of F = -(y x f; f); first derivatives [6][6] dF/dxi (`xi`) and dF/dV
// (`V`), row by row; for the Hessian with respect to xi the sums that add_second describes.
template <class T, int kOrder>
struct WrenchSums {
  T energy{}, value[6]{};
  T xi[kOrder > 0 ? 36 : 1]{}, V[kOrder > 0 ? 36 : 1]{};
  T second[kOrder > 1 ? 126 : 1]{}, bend[kOrder > 1 ? 72 : 1]{};
};

template <class T>
ABUT_INLINE void cross(const T* a, const T* b, T* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// Adds the six rows of -(y x M; M), where M (3, 6) = A Y and Y = [[y], -I], to rows of sums.
template <class T>
ABUT_INLINE void add_rows(const T* y, const T* A, T* sums) {
  for (int b = 0; b < 6; ++b) {
    T column[3], moment[3];
    for (int a = 0; a < 3; ++a) {
      if (b < 3) {
        const int k = (b + 1) % 3, l = (b + 2) % 3;  // A [y]: rows crossed with y
        column[a] = A[3 * a + k] * y[l] - A[3 * a + l] * y[k];
      } else {
        column[a] = -A[3 * a + b - 3];
      }
    }
    cross(y, column, moment);
    for (int a = 0; a < 3; ++a) {
      sums[6 * a + b] -= moment[a];
      sums[6 * (3 + a) + b] -= column[a];
    }
  }
}

// Adds the second derivatives with respect to xi of a function of y with first derivatives r and second
// derivatives W (3, 3): Y' W Y, stored as blocks (w w: 6, w v: 9, v v: 6), and those of y itself, for which
// y r' (9) and r (3) are stored (PointMotion::add_bend).
template <class T>
ABUT_INLINE void add_second(const T* y, const T* r, const T* W, T* second, T* bend) {
  T yW[9], yWy[9];  // [y] W, and [y] W [y]
  for (int b = 0; b < 3; ++b) {
    const T column[3] = {W[b], W[3 + b], W[6 + b]};
    T turned[3];
    cross(y, column, turned);
    for (int a = 0; a < 3; ++a) yW[3 * a + b] = turned[a];
  }
  for (int a = 0; a < 3; ++a) cross(yW + 3 * a, y, yWy + 3 * a);
  for (int m = 0; m < 6; ++m) {
    const int at = 3 * kSecondPlaces[m][0] + kSecondPlaces[m][1];
    second[m] -= yWy[at];
    second[15 + m] += W[at];
  }
  for (int m = 0; m < 9; ++m) {
    second[6 + m] += yW[m];
    bend[m] += y[m / 3] * r[m % 3];
  }
  for (int m = 0; m < 3; ++m) bend[9 + m] += r[m];
}

// Adds the second derivatives of the six components of -(y x f; f).
template <class T>
ABUT_INLINE void add_seconds(const T* y, const SampleForce<T, 2>& force, WrenchSums<T, 2>& sums) {
  T W[27];  // of f_a
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        W[9 * a + 3 * k + l] = -force.by_yy[6 * a + second_place(k < l ? k : l, k < l ? l : k)];
  for (int b = 0; b < 3; ++b) {
    const int k = (b + 1) % 3, l = (b + 2) % 3;  // -(y x f)_b = y_l f_k - y_k f_l
    T r[3], second[9];
    for (int j = 0; j < 3; ++j) r[j] = y[l] * force.by_y[3 * k + j] - y[k] * force.by_y[3 * l + j];
    r[l] += force.f[k];
    r[k] -= force.f[l];
    for (int j = 0; j < 9; ++j) second[j] = y[k] * W[9 * l + j] - y[l] * W[9 * k + j];
    for (int j = 0; j < 3; ++j) {
      second[3 * l + j] += force.by_y[3 * k + j];
      second[3 * j + l] += force.by_y[3 * k + j];
      second[3 * k + j] -= force.by_y[3 * l + j];
      second[3 * j + k] -= force.by_y[3 * l + j];
    }
    add_second(y, r, second, sums.second + 21 * b, sums.bend + 12 * b);
    for (int j = 0; j < 3; ++j) r[j] = -force.by_y[3 * b + j];
    add_second(y, r, W + 9 * b, sums.second + 21 * (3 + b), sums.bend + 12 * (3 + b));
  }
}

// The force of samples with damping or friction, without second derivatives; adds its derivatives with
// respect to the twist to `sums`.
template <int kOrder, class T, class S>
ABUT_INLINE void moving_samples(const T& ka, const Push<T>& push, const Taylor<T, kOrder + 1>& phi,
                                const T* y, const T* v, const S* omega, const PotentialLaw<S>& law,
                                SampleForce<T, kOrder>& force, WrenchSums<T, kOrder>& sums) {
  if constexpr (kOrder == 1) {
    moving_force<kOrder>(ka, push, phi, v, law, force);
    for (int a = 0; a < 3; ++a) {  // v turns with the owner: by_y - by_v [omega]
      const T* const row = force.by_v + 3 * a;
      force.by_y[3 * a] -= row[1] * omega[2] - row[2] * omega[1];
      force.by_y[3 * a + 1] -= row[2] * omega[0] - row[0] * omega[2];
      force.by_y[3 * a + 2] -= row[0] * omega[1] - row[1] * omega[0];
    }
    add_rows(y, force.by_v, sums.V);
  } else {
    Taylor<T, 2> without;
    without.clear();
    for (int a = 0; a < 3; ++a) without.first[a] = phi.first[a];
    moving_force<kOrder>(ka, push, without, v, law, force);
  }
}

// Adds samples with area-weighted stiffness ka (N/m^3 m^2). `omega`: angular velocity of the owner over the
// other body.
template <int kOrder, class T, class S>
ABUT_INLINE void add_samples(const T& ka, const Taylor<T, kOrder + 1>& phi, const T* y, const T* v,
                             const S* omega, const PotentialLaw<S>& law, WrenchSums<T, kOrder>& sums) {
  Push<T> push;
  push_at(phi.value, law, push);
  sums.energy += ka * push.energy;
  SampleForce<T, kOrder> force;
  bool still = true;
  if constexpr (kOrder < 2) {
    still = law.still();
    if (!still) moving_samples(ka, push, phi, y, v, omega, law, force, sums);
  }
  if (still) still_force<kOrder>(ka, push, phi, force);
  T moment[3];
  cross(y, force.f, moment);
  for (int a = 0; a < 3; ++a) {
    sums.value[a] -= moment[a];
    sums.value[3 + a] -= force.f[a];
  }
  if constexpr (kOrder > 0) {
    add_rows(y, force.by_y, sums.xi);
    // + [f] Y = [f] [y] | -[f] in the moments' rows: [f] [y] = y f' - (f . y) I
    const T along = y[0] * force.f[0] + y[1] * force.f[1] + y[2] * force.f[2];
    for (int a = 0; a < 3; ++a) {
      const int k = (a + 1) % 3, l = (a + 2) % 3;
      for (int b = 0; b < 3; ++b) sums.xi[6 * a + b] += y[a] * force.f[b];
      sums.xi[6 * a + a] -= along;
      sums.xi[6 * a + 3 + k] += force.f[l];
      sums.xi[6 * a + 3 + l] -= force.f[k];
    }
  }
  if constexpr (kOrder > 1) add_seconds(y, force, sums);
}

}  // namespace abut::contact::internal
