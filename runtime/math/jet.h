#pragma once

#include <array>
#include <cmath>

#include "runtime/math/pose.h"

namespace abut {

// A value with its derivatives up to order kOrder (0 to 3) with respect to N parameters, for forward-mode
// differentiation of the code that computes it. Equal mixed derivatives are stored once, with ascending
// indices.
template <class S, int N, int kOrder>
struct Jet {
  static constexpr int kFirst = kOrder > 0 ? N : 0, kSecond = kOrder > 1 ? N *(N + 1) / 2 : 0,
                       kThird = kOrder > 2 ? N *(N + 1) * (N + 2) / 6 : 0;

  S value{};
  std::array<S, kFirst> first{};
  std::array<S, kSecond> second{};  // (0, 0), (0, 1), ..., (1, 1), ...
  std::array<S, kThird> third{};    // (0, 0, 0), (0, 0, 1), ...

  Jet() = default;
  Jet(S number) : value(number) {}  // NOLINT(google-explicit-constructor): a constant is a number

  // Parameter k (0 to N - 1) with the given value: its derivative with respect to itself is 1.
  static Jet parameter(S number, int k) {
    Jet result(number);
    if constexpr (kOrder > 0) result.first[k] = S(1);
    return result;
  }

  // Index in `second` of the derivative with respect to parameters i <= j.
  static constexpr int at(int i, int j) { return i * N - i * (i - 1) / 2 + j - i; }

  // for_second calls visit(m, i, j) for every second derivative, for_third calls visit(m, i, j, k) for every
  // third; m is the derivative's index in `second` or `third`.
  template <class Visit>
  static void for_second(Visit&& visit) {
    if constexpr (kOrder > 1)
      for (int i = 0, m = 0; i < N; ++i)
        for (int j = i; j < N; ++j, ++m) visit(m, i, j);
  }
  template <class Visit>
  static void for_third(Visit&& visit) {
    if constexpr (kOrder > 2)
      for (int i = 0, m = 0; i < N; ++i)
        for (int j = i; j < N; ++j)
          for (int k = j; k < N; ++k, ++m) visit(m, i, j, k);
  }

  Jet operator-() const { return *this * S(-1); }

  friend Jet operator+(const Jet& a, const Jet& b) {
    Jet c = a;
    c.value += b.value;
    for (int k = 0; k < kFirst; ++k) c.first[k] += b.first[k];
    for (int k = 0; k < kSecond; ++k) c.second[k] += b.second[k];
    for (int k = 0; k < kThird; ++k) c.third[k] += b.third[k];
    return c;
  }
  friend Jet operator-(const Jet& a, const Jet& b) { return a + b * S(-1); }
  friend Jet operator*(const Jet& a, const S& b) {
    Jet c = a;
    c.value *= b;
    for (S& x : c.first) x *= b;
    for (S& x : c.second) x *= b;
    for (S& x : c.third) x *= b;
    return c;
  }
  friend Jet operator*(const S& a, const Jet& b) { return b * a; }
  friend Jet operator*(const Jet& a, const Jet& b) {  // Leibniz's rule
    Jet c(a.value * b.value);
    for (int k = 0; k < kFirst; ++k) c.first[k] = a.first[k] * b.value + a.value * b.first[k];
    for_second([&](int m, int i, int j) {
      c.second[m] =
          a.second[m] * b.value + a.first[i] * b.first[j] + a.first[j] * b.first[i] + a.value * b.second[m];
    });
    for_third([&](int m, int i, int j, int k) {
      const int ij = at(i, j), ik = at(i, k), jk = at(j, k);
      c.third[m] = a.third[m] * b.value + a.value * b.third[m] + a.second[ij] * b.first[k] +
                   a.second[ik] * b.first[j] + a.second[jk] * b.first[i] + a.first[k] * b.second[ij] +
                   a.first[j] * b.second[ik] + a.first[i] * b.second[jk];
    });
    return c;
  }

  // f of this number, from the value of f and its derivatives f1, f2, f3 there (Faa di Bruno's formula).
  Jet composed(S f, S f1, S f2 = S(0), S f3 = S(0)) const {
    Jet c(f);
    for (int k = 0; k < kFirst; ++k) c.first[k] = f1 * first[k];
    for_second([&](int m, int i, int j) { c.second[m] = f1 * second[m] + f2 * first[i] * first[j]; });
    for_third([&](int m, int i, int j, int k) {
      c.third[m] =
          f1 * third[m] + f3 * first[i] * first[j] * first[k] +
          f2 * (second[at(i, j)] * first[k] + second[at(i, k)] * first[j] + second[at(j, k)] * first[i]);
    });
    return c;
  }

  friend Jet inverse(const Jet& a) {
    const S i = S(1) / a.value, i2 = i * i;
    return a.composed(i, -i2, 2 * i2 * i, -6 * i2 * i2);
  }
  friend Jet operator/(const Jet& a, const Jet& b) { return a * inverse(b); }
  // Square root of a positive number.
  friend Jet sqrt(const Jet& a) {
    using std::sqrt;
    const S root = sqrt(a.value), f1 = S(1) / (2 * root), f2 = -f1 / (2 * a.value);
    return a.composed(root, f1, f2, S(-1.5) * f2 / a.value);
  }

  Vec3<S> gradient() const requires(N == 3 && kOrder > 0) { return {first[0], first[1], first[2]}; }
};

}  // namespace abut
