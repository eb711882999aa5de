#pragma once

#include <Eigen/Core>
#include <cmath>

namespace abut {

// Dual number: a value with its derivatives with respect to N parameters, for forward-mode differentiation of
// the code that computes it. Comparisons compare only the values.
template <class S, int N>
struct Dual {
  using Slopes = Eigen::Array<S, N, 1>;

  S value = 0;
  Slopes slopes = Slopes::Zero();

  Dual() = default;
  Dual(S number) : value(number) {}  // NOLINT(google-explicit-constructor): a constant is a number
  Dual(S number, const Slopes& by) : value(number), slopes(by) {}

  // Parameter k (0 to N - 1) with the given value: its derivative with respect to itself is 1.
  static Dual parameter(S number, int k) {
    Dual result(number);
    result.slopes[k] = 1;
    return result;
  }

  Dual operator-() const { return {-value, -slopes}; }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slopes + b.slopes}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slopes - b.slopes}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slopes * b.value + a.value * b.slopes};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const S q = a.value / b.value;
    return {q, (a.slopes - q * b.slopes) / b.value};
  }
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const S root = sqrt(a.value);
    return {root, a.slopes / (2 * root)};
  }
  friend Dual abs(const Dual& a) { return a.value < S(0) ? -a : a; }
};

// The value without its derivatives.
template <class S>
S value_of(const S& a) {
  return a;
}
template <class S, int N>
S value_of(const Dual<S, N>& a) {
  return a.value;
}

}  // namespace abut

template <class S, int N>
struct Eigen::NumTraits<abut::Dual<S, N>> : Eigen::NumTraits<S> {
  using Real = abut::Dual<S, N>;
  using NonInteger = Real;
  using Nested = Real;
  enum { RequireInitialization = 1, ReadCost = N, AddCost = N, MulCost = 3 * N };
};
