#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/math/pose.h"

// Direction cells: the map between directions and the entries of ConvexPiece::support_lookup. A direction is
// projected onto the cube [-1, 1]^3; face f = 2 axis + (1 if negative) is divided into k x k equal squares.
// With u = axis + 1 and v = axis + 2 (modulo 3), the cell in column i along u and row j along v of face f has
// the index (f k + j) k + i.
namespace abut::witness {

// Cell of a direction (any length), in [0, 6 k k), k > 0; also for a zero, infinite or NaN direction.
template <class S>
[[gnu::always_inline]] inline std::int32_t direction_cell(const Vec3<S>& direction, std::int32_t k) {
  using std::abs;
  const S x = abs(direction.x()), y = abs(direction.y()), z = abs(direction.z());
  const int axis = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
  const S half = S(k) / 2, scale = half / abs(direction[axis]), top = S(k - 1);
  const auto place = [&](S t) {
    S cell = t * scale + half;
    cell = cell > S(0) ? cell : S(0);  // also where it is NaN
    return static_cast<std::int32_t>(cell < top ? cell : top);
  };
  const std::int32_t face = 2 * axis + (direction[axis] < S(0) ? 1 : 0);
  const std::int32_t i = place(direction[axis == 2 ? 0 : axis + 1]);
  const std::int32_t j = place(direction[axis == 0 ? 2 : axis - 1]);
  return (face * k + j) * k + i;
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
