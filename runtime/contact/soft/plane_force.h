#pragma once

#include "runtime/contact/soft_minimum.h"

// The force between a moving point and the planes of an oriented point cloud, summed with the weights of the
// soft distance [Beker2025, Eqs. 14-22], and its derivatives with respect to the point's position and
// velocity. Templates on the lane type T (runtime/core/simd.h).
//
// The force of one plane is c(g) h. The spring c is a function of the height g = n . (p - p_i) above the
// plane; h = d(n . v / v_d) (n - mu t) is a function of n and of the point's velocity v relative to the
// plane's body, with the sliding direction t = v_t / sqrt(v_s^2 + |v_t|^2).
namespace abut::contact::internal {

namespace simd = abut::simd;
using ssdf::internal::DistanceSums;
using ssdf::internal::Seen;

// c(g) = k eps3 log(1 + exp(-g / eps3)) and its first two derivatives.
template <class T>
struct Spring {
  T c, c1, c2;
};

template <class T, class S>
ABUT_INLINE void spring(const T& g, const SoftMinimumParameters<S>& with, Spring<T>& out) {
  const T x = g * (S(-1) / with.eps3), zero{};
  T size, e, log;
  simd::greatest<T>(x, -x, size);
  simd::exponential<T>(-size, e);
  simd::log_one_plus(e, log);
  const T fraction = S(1) / (S(1) + e);  // logistic function of |x|
  const T rest = e * fraction;
  T positive;
  simd::greatest(x, zero, positive);
  out.c = (with.stiffness * with.eps3) * (positive + log);
  out.c1 = -with.stiffness * (x > zero ? fraction : rest);
  out.c2 = (with.stiffness / with.eps3) * (fraction * rest);
}

// d(s) and its first two derivatives.
template <class T>
struct Damping {
  T d, d1, d2;
};

template <class T, class S>
ABUT_INLINE void damping(const T& s, DampingLaw law, Damping<T>& out) {
  const T zero{};
  T half;
  simd::greatest<T>(s, zero, half);
  simd::fill<T>(S(2), out.d2);
  simd::least<T>(half, out.d2, half);
  half = half * S(0.5);
  const T left = S(1) - half;
  if (law == DampingLaw::kPaper) {
    out.d = left * left;
    out.d1 = -left;
    simd::fill<T>(S(0.5), out.d2);
    out.d2 = half > zero ? (left > zero ? out.d2 : zero) : zero;
  } else {
    out.d = left * left * left * (S(1) + half);
    out.d1 = -(left * left * (S(1) + S(2) * half));
    out.d2 = S(3) * half * left;
  }
  out.d = s > zero ? out.d : S(1) - s;
}

// Scale, a power of two, by which t is multiplied before squaring so that the squares do not overflow: 1 up
// to 3e150 m/s.
template <class T, class S>
ABUT_INLINE void unit_of_squares(const T* t, T& unit) {
  T size{}, fast, small;
  for (int a = 0; a < 3; ++a) {
    simd::greatest<T>(size, t[a], size);
    simd::greatest<T>(size, -t[a], size);
  }
  simd::fill<T>(S(0x1p500), fast);
  simd::fill<T>(S(0x1p-600), small);
  simd::fill<T>(S(1), unit);
  unit = size > fast ? small : unit;
}

// h of one plane and its derivatives with respect to v: first[3 a + k], second[6 a + m] with m over xx, xy,
// xz, yy, yz, zz.
template <class T>
struct Direction {
  T h[3], first[9], second[18];
};

template <int kOrder, class T, class S>
ABUT_INLINE void direction(const T* n, const S* v, const SoftMinimumParameters<S>& with, Direction<T>& out) {
  const T speed = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
  T t[3], unit;
  for (int a = 0; a < 3; ++a) t[a] = v[a] - speed * n[a];
  unit_of_squares<T, S>(t, unit);
  T root = with.stiction_velocity * unit;
  root = root * root;
  for (int a = 0; a < 3; ++a) root += (t[a] * unit) * (t[a] * unit);
  simd::square_root(root, root);
  const T inverse = unit / root;
  Damping<T> d;
  const S rate = S(1) / with.dissipation_velocity;
  damping<T, S>(speed * rate, with.damping, d);
  T f[3];  // n - mu t
  for (int a = 0; a < 3; ++a) {
    t[a] = t[a] * inverse;
    f[a] = n[a] - with.friction * t[a];
    out.h[a] = d.d * f[a];
  }
  if constexpr (kOrder > 0) {
    T turn[9];  // dt/dv = (I - n n' - t t') / root
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        turn[3 * a + b] = -(n[a] * n[b] + t[a] * t[b]);
        if (a == b) turn[3 * a + b] += S(1);
        turn[3 * a + b] = turn[3 * a + b] * inverse;
      }
    const T d1 = d.d1 * rate, sliding = with.friction * d.d;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) out.first[3 * a + b] = d1 * f[a] * n[b] - sliding * turn[3 * a + b];
    if constexpr (kOrder > 1) {
      const T d2 = d.d2 * (rate * rate), cross = with.friction * d1, bend = sliding * inverse;
      for (int a = 0; a < 3; ++a)
        for (int j = 0, m = 0; j < 3; ++j)
          for (int k = j; k < 3; ++k, ++m)
            out.second[6 * a + m] =
                d2 * f[a] * n[j] * n[k] - cross * (turn[3 * a + j] * n[k] + turn[3 * a + k] * n[j]) +
                bend * (turn[3 * a + j] * t[k] + turn[3 * a + k] * t[j] + turn[3 * j + k] * t[a]);
    }
  }
}

// Sums over planes with the weights w of the soft distance; u and n as in Seen, alpha = 2 / eps1:
//   force     c h
//   slope     (alpha c u + c' n) h'             slope[3 a + b]: h_a, direction b
//   bend      (alpha^2 c (u u' + bend n n') + alpha c' (u n' + n u') + c'' n n') h     bend[6 a + m]
//   force_v   c dh/dv                           force_v[3 a + k]
//   slope_v   (alpha c u + c' n) dh/dv          slope_v[9 a + 3 b + k]
//   force_vv  c d2h/dv2                         force_vv[6 a + m]
template <class T>
struct ForceSums {
  DistanceSums<T> distance;
  T spring{}, force[3]{}, slope[9]{}, bend[18]{}, force_v[9]{}, slope_v[27]{}, force_vv[18]{};
};

template <int kOrder, class T, class S>
ABUT_INLINE void add_plane(const Seen<T>& seen, const S& g0, const S& alpha, const S* v,
                           const SoftMinimumParameters<S>& with, ForceSums<T>& sums) {
  ssdf::internal::add<kOrder>(seen, sums.distance);
  Spring<T> s;
  spring<T, S>(seen.g + g0, with, s);
  Direction<T> along;
  direction<kOrder>(seen.n, v, with, along);
  const T wc = seen.weight * s.c;
  sums.spring += wc;
  for (int a = 0; a < 3; ++a) sums.force[a] += wc * along.h[a];
  if constexpr (kOrder > 0) {
    const T near = alpha * wc, steep = seen.weight * s.c1;
    T slope[3];
    for (int b = 0; b < 3; ++b) slope[b] = near * seen.u[b] + steep * seen.n[b];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        sums.slope[3 * a + b] += slope[b] * along.h[a];
        sums.force_v[3 * a + b] += wc * along.first[3 * a + b];
      }
    if constexpr (kOrder > 1) {
      const T uu = alpha * near, un = alpha * steep, nn = seen.weight * s.c2 + uu * seen.bend;
      for (int b = 0, m = 0; b < 3; ++b)
        for (int k = b; k < 3; ++k, ++m) {
          const T bend = uu * seen.u[b] * seen.u[k] + un * (seen.u[b] * seen.n[k] + seen.n[b] * seen.u[k]) +
                         nn * seen.n[b] * seen.n[k];
          for (int a = 0; a < 3; ++a) sums.bend[6 * a + m] += bend * along.h[a];
        }
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b)
          for (int k = 0; k < 3; ++k) sums.slope_v[9 * a + 3 * b + k] += slope[b] * along.first[3 * a + k];
        for (int m = 0; m < 6; ++m) sums.force_vv[6 * a + m] += wc * along.second[6 * a + m];
      }
    }
  }
}

// The force on a point and its soft distance, as functions of position y and velocity v.
template <class S>
struct PointForce {
  ssdf::SoftDistance<S> distance;
  Vec3<S> force;                        // N
  Mat3<S> by_y, by_v;                   // (a, b): dF_a/dy_b
  std::array<Mat3<S>, 3> by_yy, by_vv;  // of each component, symmetric
  std::array<Mat3<S>, 3> by_yv;         // of each component: rows for y, columns for v
};

template <class S>
Mat3<S> symmetric(const S* m) {
  Mat3<S> M;
  M << m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5];
  return M;
}

// Computes force and distance from the sums. u_mean is the weighted mean of u, and grad w =
// alpha w (u - u_mean), hess w = w (alpha^2 (u - u_mean)(u - u_mean)' - C), C = alpha^2 (mean of u u' -
// u_mean u_mean').
template <class S>
void from_sums(const ForceSums<S>& sums, S g0, S eps1, ssdf::Order order, PointForce<S>& out) {
  using RowMajor = Eigen::Matrix<S, 3, 3, Eigen::RowMajor>;
  const S w = sums.distance.w, alpha = 2 / eps1;
  out.distance = ssdf::internal::from_sums(sums.distance, g0, eps1, order);
  out.force = Eigen::Map<const Vec3<S>>(sums.force) / w;
  if (order == ssdf::Order::kValue) return;
  const Vec3<S> mean = alpha / w * Eigen::Map<const Vec3<S>>(sums.distance.u);
  const Mat3<S> slope = Eigen::Map<const RowMajor>(sums.slope) / w;
  out.by_y = slope - out.force * mean.transpose();
  out.by_v = Eigen::Map<const RowMajor>(sums.force_v) / w;
  if (order == ssdf::Order::kGradient) return;
  const Mat3<S> spread = alpha * alpha / w * symmetric(sums.distance.uu) - mean * mean.transpose();
  for (int a = 0; a < 3; ++a) {
    const Mat3<S> cross = mean * slope.row(a);
    out.by_yy[a] = symmetric(sums.bend + 6 * a) / w - cross - cross.transpose() +
                   out.force[a] * (mean * mean.transpose() - spread);
    out.by_yv[a] = Eigen::Map<const RowMajor>(sums.slope_v + 9 * a) / w - mean * out.by_v.row(a);
    out.by_vv[a] = symmetric(sums.force_vv + 6 * a) / w;
  }
}

}  // namespace abut::contact::internal
