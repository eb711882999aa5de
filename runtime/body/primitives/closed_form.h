#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "runtime/body/primitives/kind.h"
#include "runtime/math/jet.h"

// Signed distances in closed form; derivatives come from forward differentiation of the same code (Jet).
namespace abut::body::detail {

// Evaluates Parts::distance(shape, x, y, z) with derivatives up to kOrder.
template <int kOrder, class S, class Shape, class Parts>
PrimitiveDistance<S> distance_to_order(const Shape& shape, const Vec3<S>& p_Q) {
  using J = Jet<S, 3, kOrder>;
  const J d =
      Parts::distance(shape, J::parameter(p_Q.x(), 0), J::parameter(p_Q.y(), 1), J::parameter(p_Q.z(), 2));
  PrimitiveDistance<S> result{d.value, Vec3<S>::Zero(), Mat3<S>::Zero(), {}};
  for (Mat3<S>& slice : result.third) slice.setZero();
  if constexpr (kOrder > 0) result.gradient = d.gradient();
  J::for_second([&](int m, int i, int j) { result.hessian(i, j) = result.hessian(j, i) = d.second[m]; });
  J::for_third([&](int m, int i, int j, int k) {
    const auto put = [&](int slice, int row, int column) {
      result.third[slice](row, column) = result.third[slice](column, row) = d.third[m];
    };
    put(i, j, k), put(j, i, k), put(k, i, j);
  });
  return result;
}

template <class S, class Shape, class Parts>
PrimitiveDistance<S> distance(const Shape& shape, const Vec3<S>& p_Q, int order) {
  switch (order) {
    case 0:
      return distance_to_order<0, S, Shape, Parts>(shape, p_Q);
    case 1:
      return distance_to_order<1, S, Shape, Parts>(shape, p_Q);
    case 2:
      return distance_to_order<2, S, Shape, Parts>(shape, p_Q);
    default:
      return distance_to_order<3, S, Shape, Parts>(shape, p_Q);
  }
}

// Evaluates only the distance.
template <class S, class Shape, class Parts>
S value(const Shape& shape, const Vec3<S>& p_Q) {
  using J = Jet<S, 3, 0>;
  return Parts::distance(shape, J(p_Q.x()), J(p_Q.y()), J(p_Q.z())).value;
}

// A number and its derivatives in units of 1 / unit, with respect to parameters in the same units.
template <class J, class S>
J in_units(J a, const S& unit) {
  a.value *= unit;
  for (S& x : a.second) x /= unit;
  for (S& x : a.third) x = x / unit / unit;
  return a;
}

// Length from which on squares are computed in units of it (a power of two), m: derivatives have the fifth
// power of its reciprocal.
inline constexpr double kFarLength = 0x1p180;

// Square root of a sum of squares; where all terms are 0 its slope is that of the first argument.
template <class J, class... Js>
J length(const J& a, const Js&... more) {
  using std::hypot, std::sqrt;
  if constexpr (J::kFirst == 0) {
    if constexpr (sizeof...(Js) == 0)
      return J(std::abs(a.value));
    else
      return J(hypot(a.value, more.value...));
  } else {
    const auto size = std::max({std::abs(a.value), std::abs(more.value)...});
    if (size > kFarLength) {
      using S = std::remove_cvref_t<decltype(a.value)>;
      const S unit = std::ldexp(S(1), -std::ilogb(size));
      return in_units(length(in_units(a, unit), in_units(more, unit)...), 1 / unit);
    }
    const J square = ((a * a) + ... + (more * more));
    if (square.value > 0) return sqrt(square);
    J straight;
    straight.first = a.first;
    return straight;
  }
}

// |c| - half: how far the coordinate `c` lies beyond the face at `half`.
template <class J>
J beyond(const J& c, double half) {
  return (c.value < 0 ? -c : c) - J(half);
}

// Signed distance of a convex corner, given the signed distances from its two sides.
template <class J>
J corner(const J& a, const J& b) {
  if (a.value > 0 && b.value > 0) return length(a, b);
  return a.value > b.value ? a : b;
}

}  // namespace abut::body::detail
