#pragma once

#include "runtime/core/simd.h"

// Numbers with their derivatives with respect to the three coordinates of a point, up to order kOrder
// (0 to 3), on the lane type T (runtime/core/simd.h): the tool to differentiate sums over the points of a
// cloud. All of it is inlined, so that it is compiled for its caller's instruction set.
namespace abut::ssdf::internal {

// Index order of second derivatives (xx, xy, xz, yy, yz, zz) and of third ones (xxx, xxy, xxz, xyy, xyz, xzz,
// yyy, yyz, yzz, zzz).
inline constexpr int kSecondPlaces[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
inline constexpr int kThirdPlaces[10][3] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {0, 1, 2},
                                            {0, 2, 2}, {1, 1, 1}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}};
constexpr int second_place(int k, int l) { return k == 0 ? l : k + l + 1; }  // k <= l

// Calls f(m, k, l) for the m-th second derivative, with respect to k and l.
template <class F>
ABUT_INLINE void for_second_places(F&& f) {
#pragma GCC unroll 6
  for (int m = 0; m < 6; ++m) f(m, kSecondPlaces[m][0], kSecondPlaces[m][1]);
}

// Calls f(m, k, l, j) for the m-th third derivative, with respect to k, l and j.
template <class F>
ABUT_INLINE void for_third_places(F&& f) {
#pragma GCC unroll 10
  for (int m = 0; m < 10; ++m) f(m, kThirdPlaces[m][0], kThirdPlaces[m][1], kThirdPlaces[m][2]);
}

template <class T, int kOrder>
struct Taylor {
  static constexpr int kFirst = kOrder > 0 ? 3 : 0, kSecond = kOrder > 1 ? 6 : 0,
                       kThird = kOrder > 2 ? 10 : 0;
  T value;
  T first[kFirst > 0 ? kFirst : 1];
  T second[kSecond > 0 ? kSecond : 1];
  T third[kThird > 0 ? kThird : 1];

  ABUT_INLINE void clear() {
    value = T{};
    for (int k = 0; k < kFirst; ++k) first[k] = T{};
    for (int m = 0; m < kSecond; ++m) second[m] = T{};
    for (int m = 0; m < kThird; ++m) third[m] = T{};
  }
};

// f(a) from f and its derivatives at a's value (Faa di Bruno).
template <class T, int kOrder>
ABUT_INLINE void compose(const Taylor<T, kOrder>& a, const T& f, const T& f1, const T& f2, const T& f3,
                         Taylor<T, kOrder>& out) {
  out.value = f;
  if constexpr (kOrder > 0)
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) out.first[k] = f1 * a.first[k];
  if constexpr (kOrder > 1)
    for_second_places([&](int m, int k, int l) ABUT_INLINE_LAMBDA {
      out.second[m] = f1 * a.second[m] + f2 * a.first[k] * a.first[l];
    });
  if constexpr (kOrder > 2)
    for_third_places([&](int m, int k, int l, int j) ABUT_INLINE_LAMBDA {
      out.third[m] =
          f1 * a.third[m] +
          f2 * (a.second[second_place(k, l)] * a.first[j] + a.second[second_place(k, j)] * a.first[l] +
                a.second[second_place(l, j)] * a.first[k]) +
          f3 * (a.first[k] * a.first[l] * a.first[j]);
    });
}

// sum += w a, from order kFrom to order kTo; the other orders are unchanged.
template <int kFrom, int kTo, class T, int kOrder>
ABUT_INLINE void add_orders(const T& w, const Taylor<T, kOrder>& a, Taylor<T, kOrder>& sum) {
  if constexpr (kFrom == 0) sum.value += w * a.value;
  if constexpr (kFrom <= 1 && kTo >= 1)
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) sum.first[k] += w * a.first[k];
  if constexpr (kFrom <= 2 && kTo >= 2)
#pragma GCC unroll 6
    for (int m = 0; m < 6; ++m) sum.second[m] += w * a.second[m];
  if constexpr (kFrom <= 3 && kTo >= 3)
#pragma GCC unroll 10
    for (int m = 0; m < 10; ++m) sum.third[m] += w * a.third[m];
}
template <class T, int kOrder>
ABUT_INLINE void add(const T& w, const Taylor<T, kOrder>& a, Taylor<T, kOrder>& sum) {
  add_orders<0, kOrder>(w, a, sum);
}

// c = a / b, where b's value is not zero: from a = c b by the Leibniz rule.
template <class T, int kOrder>
ABUT_INLINE void divide(const Taylor<T, kOrder>& a, const Taylor<T, kOrder>& b, Taylor<T, kOrder>& c) {
  const T inverse = 1.0 / b.value;
  c.value = a.value * inverse;
  if constexpr (kOrder > 0)
    for (int k = 0; k < 3; ++k) c.first[k] = (a.first[k] - c.value * b.first[k]) * inverse;
  if constexpr (kOrder > 1)
    for (int m = 0; m < 6; ++m) {
      const int k = kSecondPlaces[m][0], l = kSecondPlaces[m][1];
      c.second[m] =
          (a.second[m] - c.value * b.second[m] - c.first[k] * b.first[l] - c.first[l] * b.first[k]) * inverse;
    }
  if constexpr (kOrder > 2)
    for (int m = 0; m < 10; ++m) {
      const int k = kThirdPlaces[m][0], l = kThirdPlaces[m][1], j = kThirdPlaces[m][2];
      const int kl = second_place(k, l), kj = second_place(k, j), lj = second_place(l, j);
      c.third[m] = (a.third[m] - c.value * b.third[m] - c.first[k] * b.second[lj] -
                    c.first[l] * b.second[kj] - c.first[j] * b.second[kl] - c.second[kl] * b.first[j] -
                    c.second[kj] * b.first[l] - c.second[lj] * b.first[k]) *
                   inverse;
    }
}

}  // namespace abut::ssdf::internal
