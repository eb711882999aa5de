#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/asset/asset.h"
#include "runtime/core/simd.h"

// The sums of a distance grid over the 64 coefficients about a point, with derivatives. Internal to
// grid_field.
namespace abut::ssdf::internal {

using simd::Four;

// The order of differentiation with respect to x, y and z of each number of a jet.
inline constexpr int kJetCounts[] = {1, 4, 10, 20};  // numbers up to each degree
inline constexpr std::int8_t kJetDegrees[20][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                                   {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2},
                                                   {3, 0, 0}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 1, 1},
                                                   {1, 0, 2}, {0, 3, 0}, {0, 2, 1}, {0, 1, 2}, {0, 0, 3}};

// The 4 x 4 x 4 nodes about a point, in rows of four along x, in up to 2 x 2 bricks.
template <class S>
struct GridCell {
  // Where the first row would begin if bricks were as long as the cell needs: [0] in the brick of the first
  // node, [1] in the next one, along z and y.
  const float* bricks[2][2];
  unsigned first_y, first_z;  // index of the first node in its brick
  S t[3];                     // position in the cell along x, y, z, [0, 1)
};

// Finds the rows that start at the cell's first node (x, y, z); returns false where a brick is missing. A
// missing brick at the ends of the rows does not count: these coefficients are then NaN.
template <class S>
ABUT_INLINE bool find_rows(const asset::DistanceGridView& grid, const std::int32_t* node, GridCell<S>& cell) {
  constexpr unsigned kNodes = asset::kBrickNodes;
  unsigned first[3];
  std::size_t place[3];
  for (int axis = 0; axis < 3; ++axis) {
    first[axis] = static_cast<unsigned>(node[axis]) % kNodes;
    place[axis] = static_cast<unsigned>(node[axis]) / kNodes;
  }
  const std::size_t along_x = static_cast<unsigned>(grid.places[0]),
                    along_y = static_cast<unsigned>(grid.places[1]);
  // Offsets to the brick of the cell's last row and of its last layer.
  const std::size_t next_y = along_x & -std::size_t{first[1] > 0},
                    next_z = (along_x * along_y) & -std::size_t{first[2] > 0};
  const std::int32_t* const index = grid.index + (place[2] * along_y + place[1]) * along_x + place[0];
  const std::int32_t bricks[2][2] = {{index[0], index[next_y]}, {index[next_z], index[next_z + next_y]}};
  if ((bricks[0][0] | bricks[0][1] | bricks[1][0] | bricks[1][1]) < 0) return false;  // one index is negative
  const float* const begin = grid.rows + 2 * kNodes * (kNodes * first[2] + first[1]) + first[0];
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      cell.bricks[z][y] = begin + std::ptrdiff_t(2 * asset::kBrickSize) * bricks[z][y] -
                          std::ptrdiff_t(2 * kNodes * kNodes) * (int(kNodes) * z + y);
  cell.first_y = first[1];
  cell.first_z = first[2];
  return true;
}

// Finds the cell about p (m); false where p is not finite or a brick is missing as in `find_rows`.
template <class S>
ABUT_INLINE bool find_cell(const asset::DistanceGridView& grid, const S* p, S per_spacing,
                           GridCell<S>& cell) {
  std::int32_t first[3];
  for (int axis = 0; axis < 3; ++axis) {
    const S q = (p[axis] - S(grid.origin[axis])) * per_spacing;
    if (!(q >= S(1) && q < S(asset::kBrickNodes * grid.places[axis] - 2))) return false;
    const auto node = static_cast<std::int32_t>(q);
    cell.t[axis] = q - S(node);
    first[axis] = node - 1;
  }
  return find_rows(grid, first, cell);
}

// The four cubic B-splines about t in [0, 1) and their derivatives with respect to the position in m, a row
// for each degree.
template <int kOrder, class T, class S>
ABUT_INLINE void spline_rows(S t, S per_spacing, T* rows) {
  const S u = S(1) / S(6);
  const T c0{u, 4 * u, u, S(0)}, c1{-3 * u, S(0), 3 * u, S(0)}, c2{3 * u, -6 * u, 3 * u, S(0)},
      c3{-u, 3 * u, -3 * u, u};  // coefficients of the powers of t
  rows[0] = ((c3 * t + c2) * t + c1) * t + c0;
  if constexpr (kOrder >= 1) rows[1] = ((c3 * (3 * t) + c2 * S(2)) * t + c1) * per_spacing;
  if constexpr (kOrder >= 2) rows[2] = (c3 * (6 * t) + c2 * S(2)) * (per_spacing * per_spacing);
  if constexpr (kOrder >= 3) rows[3] = c3 * (S(6) * per_spacing * per_spacing * per_spacing);
}

// Loads the next four coefficients.
template <class T>
ABUT_INLINE void load_row(const float* from, T& row) {
  for (int i = 0; i < 4; ++i) row[i] = from[i];
}

// Sums over the lanes of each of four vectors.
template <class T>
ABUT_INLINE void sum_lanes(const T& a, const T& b, const T& c, const T& d, T& to) {
  if constexpr (std::is_same_v<T, Four>) {
    const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Four cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  } else {
    const auto sum = [](const T& x) { return (x[0] + x[1]) + (x[2] + x[3]); };
    to = T{sum(a), sum(b), sum(c), sum(d)};
  }
}

// Sums over the rows of a cell, for each derivative along z and y, at the four nodes along x. y, z: the
// splines of each degree at four nodes, stored kStride numbers apart.
template <int kOrder, int kStride, class T, class S>
ABUT_INLINE void plane_sums(const GridCell<S>& cell, const S* y, const S* z,
                            T (&plane)[kOrder + 1][kOrder + 1]) {
  constexpr unsigned kNodes = asset::kBrickNodes;
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k) {
    const float* const* const bricks = cell.bricks[(cell.first_z + k) / kNodes];
    T line[kOrder + 1];
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; ++j) {
      T row;
      load_row(bricks[(cell.first_y + j) / kNodes] + 2 * kNodes * (kNodes * k + j), row);
#pragma GCC unroll 4
      for (int m = 0; m <= kOrder; ++m) {
        const T term = row * y[kStride * (4 * m + j)];
        line[m] = j == 0 ? term : T(line[m] + term);
      }
    }
#pragma GCC unroll 4
    for (int n = 0; n <= kOrder; ++n)
#pragma GCC unroll 4
      for (int m = 0; m + n <= kOrder; ++m) {
        const T term = line[m] * z[kStride * (4 * n + k)];
        plane[n][m] = k == 0 ? term : T(plane[n][m] + term);
      }
  }
}

// All derivatives up to kOrder in the order of kJetDegrees; `jet` must have room for a multiple of four.
template <int kOrder, class T, class S>
ABUT_INLINE void cell_sums(const GridCell<S>& cell, S per_spacing, S* jet) {
  constexpr int kRows = kOrder + 1;
  T x[kRows], y[kRows], z[kRows], plane[kRows][kRows];
  spline_rows<kOrder>(cell.t[0], per_spacing, x);
  spline_rows<kOrder>(cell.t[1], per_spacing, y);
  spline_rows<kOrder>(cell.t[2], per_spacing, z);
  S along_y[4 * kRows], along_z[4 * kRows];
  for (int i = 0; i < 4 * kRows; ++i) {
    along_y[i] = y[i / 4][i % 4];
    along_z[i] = z[i / 4][i % 4];
  }
  plane_sums<kOrder, 1>(cell, along_y, along_z, plane);
  const auto term = [&](int i, T& to) ABUT_INLINE_LAMBDA {
    const std::int8_t* const degrees = kJetDegrees[i < kJetCounts[kOrder] ? i : 0];
    to = x[degrees[0]] * plane[degrees[2]][degrees[1]];
  };
  for (int i = 0; i < kJetCounts[kOrder]; i += 4) {
    T terms[4], sums;
    for (int lane = 0; lane < 4; ++lane) term(i + lane, terms[lane]);
    sum_lanes<T>(terms[0], terms[1], terms[2], terms[3], sums);
    for (int lane = 0; lane < 4; ++lane) jet[i + lane] = sums[lane];
  }
}

// Lower bound of the distance from p (m) to any brick; 0 where one may be close.
template <class S>
ABUT_INLINE S empty_radius(const asset::DistanceGridView& grid, const S* p) {
  const S per_place = S(1) / (asset::kBrickNodes * S(grid.spacing));
  std::size_t at = 0;
  for (int axis = 2; axis >= 0; --axis) {  // index of the brick position nearest to p
    const S q = (p[axis] - S(grid.origin[axis])) * per_place, last = S(grid.places[axis] - 1);
    const auto place = static_cast<std::size_t>(!(q > S(0)) ? S(0) : q < last ? q : last);
    at = at * static_cast<std::size_t>(grid.places[axis]) + place;
  }
  return S(grid.gaps[at] > 0 ? grid.gaps[at] - 1 : 0) / per_place;
}

inline constexpr int kJetRoom = 20;

// Value and derivatives at p (m); false where a node is missing.
template <int kOrder, class T, class S>
ABUT_INLINE bool grid_jet(const asset::DistanceGridView& grid, const S* p, S* jet) {
  const S per_spacing = S(1) / S(grid.spacing);
  GridCell<S> cell;
  if (!find_cell(grid, p, per_spacing, cell)) return false;
  cell_sums<kOrder, T>(cell, per_spacing, jet);
  return jet[0] == jet[0];
}

}  // namespace abut::ssdf::internal
