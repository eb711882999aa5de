#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/core/simd.h"
#include "runtime/math/pose.h"

// Direction cells: the map between directions and the entries of ConvexPiece::support_lookup. A direction is
// projected onto the cube [-1, 1]^3; face f = 2 axis + (1 if negative) is divided into k x k equal squares.
// With u = axis + 1 and v = axis + 2 (modulo 3), the cell in column i along u and row j along v of face f has
// the index (f k + j) k + i.
namespace abut::witness {

namespace detail {

// Column or row into which each coordinate of the direction times `scale` falls, written twice in
// succession; valid also where that is NaN.
template <class S>
ABUT_INLINE void cell_places(const Vec3<S>& direction, S scale, std::int32_t k, std::int32_t* places) {
  const S half = S(k) / 2;
  if constexpr (std::is_same_v<S, double>) {
    using FourInts = std::int32_t __attribute__((vector_size(16)));
    simd::Four t{direction.x(), direction.y(), direction.z(), 0};
    t = t * scale + half;
    t = t > simd::Four{} ? t : simd::Four{};
    const simd::Four top = simd::Four{} + (k - 1);
    t = t < top ? t : top;
    const FourInts at = __builtin_convertvector(t, FourInts);
    std::memcpy(places, &at, sizeof at);
    std::memcpy(places + 3, &at, sizeof at);
  } else {
    for (int i = 0; i < 3; ++i) {
      const S t = direction[i] * scale + half, top = S(k - 1);
      places[i] = places[i + 3] = static_cast<std::int32_t>(std::min(t > S(0) ? t : S(0), top));
    }
  }
}

}  // namespace detail

// Cell of a direction (of any length), in [0, 6 k k), k > 0; in range also for a zero, infinite or NaN
// direction.
template <class S>
ABUT_INLINE std::int32_t direction_cell(const Vec3<S>& direction, std::int32_t k) {
  using std::abs;
  const S x = abs(direction.x()), y = abs(direction.y()), z = abs(direction.z());
  const S xy = x > y ? x : y, most = xy > z ? xy : z;
  // Branch-free, to avoid mispredictions.
  const int beyond_x = !(x >= most), beyond_y = !(y >= most);
  const int axis = beyond_x + (beyond_x & beyond_y);
  std::int32_t places[7];
  detail::cell_places<S>(direction, S(k) / 2 / most, k, places);
  const std::int32_t face = 2 * axis + (direction[axis] < S(0) ? 1 : 0);
  return (face * k + places[axis + 2]) * k + places[axis + 1];
}

// Direction of a cell's centre, not normalised: its largest entry is +-1.
template <class S>
Vec3<S> cell_direction(std::int32_t cell, std::int32_t k) {
  const std::int32_t i = cell % k, j = cell / k % k, face = cell / (k * k), axis = face / 2;
  Vec3<S> direction;
  direction[axis] = face % 2 == 0 ? S(1) : S(-1);
  direction[(axis + 1) % 3] = S(2 * i + 1) / S(k) - 1;
  direction[(axis + 2) % 3] = S(2 * j + 1) / S(k) - 1;
  return direction;
}

}  // namespace abut::witness
