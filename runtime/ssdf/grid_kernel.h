#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/asset/asset.h"
#include "runtime/core/simd.h"

// The sums of a distance grid: 64 coefficients about a point, with derivatives. Internal to grid_field.
namespace abut::ssdf::internal {

using simd::Four;
using FourFloats = float __attribute__((vector_size(16)));
struct __attribute__((packed, aligned(4), may_alias)) FourFloatsUnaligned {
  FourFloats value;
};

// How often by x, y and z each number of a jet is differentiated.
inline constexpr int kJetCounts[] = {1, 4, 10, 20};  // up to a degree
inline constexpr std::int8_t kJetDegrees[20][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                                   {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2},
                                                   {3, 0, 0}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 1, 1},
                                                   {1, 0, 2}, {0, 3, 0}, {0, 2, 1}, {0, 1, 2}, {0, 0, 3}};

// The bricks that hold the 4 x 4 x 4 nodes about a point.
template <class S>
struct GridCell {
  const float* bricks[2][2][2];  // z, y, x; the second along an axis only where `first` is not 0
  int first[3];                  // node of the first brick at which the four begin, along x, y, z
  S t[3];                        // place in the cell, [0, 1)
};

// False where a node is missing, or p (m) is not finite.
template <class S>
ABUT_INLINE bool find_cell(const asset::DistanceGridView& grid, const S* p, GridCell<S>& cell) {
  std::ptrdiff_t place[3];
  for (int axis = 0; axis < 3; ++axis) {
    const S q = (p[axis] - S(grid.origin[axis])) / S(grid.spacing);
    if (!(q >= S(1) && q < S(asset::kBrickNodes * grid.places[axis] - 2))) return false;
    const auto node = static_cast<std::int32_t>(q);
    cell.t[axis] = q - S(node);
    place[axis] = (node - 1) / asset::kBrickNodes;
    cell.first[axis] = (node - 1) % asset::kBrickNodes;
  }
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x) {
        if ((x != 0 && cell.first[0] == 0) || (y != 0 && cell.first[1] == 0) ||
            (z != 0 && cell.first[2] == 0))
          continue;
        const std::int32_t brick =
            grid.index[((place[2] + z) * grid.places[1] + place[1] + y) * grid.places[0] + place[0] + x];
        if (brick < 0) return false;
        cell.bricks[z][y][x] = grid.coefficients + std::ptrdiff_t(asset::kBrickSize) * brick;
      }
  return true;
}

// The four cubic B-splines about t in [0, 1) and their derivatives by the place in m, a row for each degree.
template <int kOrder, class T, class S>
ABUT_INLINE void spline_rows(S t, S per_spacing, T* rows) {
  const S u = S(1) / S(6);
  const T c0{u, 4 * u, u, S(0)}, c1{-3 * u, S(0), 3 * u, S(0)}, c2{3 * u, -6 * u, 3 * u, S(0)},
      c3{-u, 3 * u, -3 * u, u};  // of the powers of t
  rows[0] = ((c3 * t + c2) * t + c1) * t + c0;
  if constexpr (kOrder >= 1) rows[1] = ((c3 * (3 * t) + c2 * S(2)) * t + c1) * per_spacing;
  if constexpr (kOrder >= 2) rows[2] = (c3 * (6 * t) + c2 * S(2)) * (per_spacing * per_spacing);
  if constexpr (kOrder >= 3) rows[3] = c3 * (S(6) * per_spacing * per_spacing * per_spacing);
}

// Four coefficients along x from node `kFirst` of a brick's row on, into the next brick's row.
template <int kFirst, class T>
ABUT_INLINE void load_row(const float* a, const float* b, T& row) {
  if constexpr (std::is_same_v<T, Four>) {
    const FourFloats low = reinterpret_cast<const FourFloatsUnaligned*>(a)->value;
    if constexpr (kFirst == 0) {
      row = __builtin_convertvector(low, Four);
    } else {
      const FourFloats high = reinterpret_cast<const FourFloatsUnaligned*>(b)->value;
      row = __builtin_convertvector(
          __builtin_shufflevector(low, high, kFirst, kFirst + 1, kFirst + 2, kFirst + 3), Four);
    }
  } else {
    for (int i = 0; i < 4; ++i) row[i] = kFirst + i < 4 ? a[kFirst + i] : b[kFirst + i - 4];
  }
}

// Sums of the lanes of four vectors.
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

// All derivatives up to kOrder in the order of kJetDegrees; jet has room for a multiple of four.
template <int kOrder, int kFirst, class T, class S>
ABUT_INLINE void cell_sums(const GridCell<S>& cell, S per_spacing, S* jet) {
  constexpr int kRows = kOrder + 1;
  T x[kRows], y[kRows], z[kRows];
  spline_rows<kOrder>(cell.t[0], per_spacing, x);
  spline_rows<kOrder>(cell.t[1], per_spacing, y);
  spline_rows<kOrder>(cell.t[2], per_spacing, z);
  T plane[kRows][kRows];  // by derivatives along z and y, at the four nodes along x
  for (int k = 0; k < 4; ++k) {
    const int node_z = cell.first[2] + k;
    T line[kRows];
    for (int j = 0; j < 4; ++j) {
      const int node_y = cell.first[1] + j;
      const float* const* const bricks = cell.bricks[node_z / 4][node_y / 4];
      const int at = 16 * (node_z % 4) + 4 * (node_y % 4);
      T row;
      load_row<kFirst>(bricks[0] + at, kFirst == 0 ? nullptr : bricks[1] + at, row);
      for (int m = 0; m < kRows; ++m) line[m] = j == 0 ? T(row * S(y[m][0])) : T(line[m] + row * S(y[m][j]));
    }
    for (int n = 0; n < kRows; ++n)
      for (int m = 0; m + n < kRows; ++m)
        plane[n][m] = k == 0 ? T(line[m] * S(z[n][0])) : T(plane[n][m] + line[m] * S(z[n][k]));
  }
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

inline constexpr int kJetRoom = 20;

// Value and derivatives at p (m); false where a node is missing.
template <int kOrder, class T, class S>
ABUT_INLINE bool grid_jet(const asset::DistanceGridView& grid, const S* p, S* jet) {
  GridCell<S> cell;
  if (!find_cell(grid, p, cell)) return false;
  const S per_spacing = S(1) / S(grid.spacing);
  switch (cell.first[0]) {
    case 0:
      cell_sums<kOrder, 0, T>(cell, per_spacing, jet);
      break;
    case 1:
      cell_sums<kOrder, 1, T>(cell, per_spacing, jet);
      break;
    case 2:
      cell_sums<kOrder, 2, T>(cell, per_spacing, jet);
      break;
    default:
      cell_sums<kOrder, 3, T>(cell, per_spacing, jet);
  }
  return true;
}

}  // namespace abut::ssdf::internal
