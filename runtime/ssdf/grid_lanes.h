#pragma once

#include <cmath>
#include <cstddef>

#include "runtime/ssdf/grid_kernel.h"
#include "runtime/ssdf/taylor.h"

// The field of a distance grid at four points at once, one per lane: splines and the last sums are computed
// for all four together, the sums over rows of coefficients one point after the other.
namespace abut::ssdf::internal {

// The four cubic B-splines about t in [0, 1) and their derivatives with respect to the position in m:
// splines[degree][node].
template <int kOrder>
ABUT_INLINE void splines_at(const Four& t, double per_spacing, Four (*splines)[4]) {
  const Four r = 1.0 - t;
  splines[0][0] = (1.0 / 6) * (r * r * r);
  splines[0][1] = (t * t) * (0.5 * t - 1.0) + 2.0 / 3;
  splines[0][2] = (r * r) * (0.5 * r - 1.0) + 2.0 / 3;
  splines[0][3] = (1.0 / 6) * (t * t * t);
  if constexpr (kOrder >= 1) {
    const Four half = t * (0.5 * per_spacing), other = r * (0.5 * per_spacing);
    splines[1][0] = -(r * other);
    splines[1][1] = half * (3.0 * t - 4.0);
    splines[1][2] = other * (4.0 - 3.0 * r);
    splines[1][3] = t * half;
  }
  if constexpr (kOrder >= 2) {
    const double per2 = per_spacing * per_spacing;
    splines[2][0] = r * per2;
    splines[2][1] = (3.0 * t - 2.0) * per2;
    splines[2][2] = (3.0 * r - 2.0) * per2;
    splines[2][3] = t * per2;
  }
  if constexpr (kOrder >= 3) {
    const double per3 = per_spacing * per_spacing * per_spacing;
    constexpr double kThirds[] = {-1, 3, -3, 1};
    for (int i = 0; i < 4; ++i) splines[3][i] = Four{} + kThirds[i] * per3;
  }
}

// Transposes four rows into columns.
ABUT_INLINE void transpose(const Four& a, const Four& b, const Four& c, const Four& d, Four* columns) {
  const Four ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  columns[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  columns[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  columns[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  columns[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

// The number of a Taylor that is differentiated a, b, c times with respect to x, y, z.
template <int kOrder, class T>
ABUT_INLINE T& derivative(Taylor<T, kOrder>& phi, int a, int b, int c) {
  const int degree = a + b + c, last = b + c;  // in blocks of equal count in x, ordered by the count in z
  if (degree == 0) return phi.value;
  if (degree == 1) return phi.first[b + 2 * c];
  if (degree == 2) return phi.second[last * (last + 1) / 2 + c];
  return phi.third[last * (last + 1) / 2 + c];
}

// Finds the first nodes of the cells about four points (m) and the positions t of the points in their cells;
// `inside`: which points are within the grid's box.
ABUT_INLINE void find_nodes(const asset::DistanceGridView& grid, const Four* p, double per_spacing,
                            std::int32_t (*nodes)[3], Four* t, simd::FourBits& inside) {
  using Integers = std::int32_t __attribute__((vector_size(16)));
  inside = simd::FourBits{} - 1;
  for (int axis = 0; axis < 3; ++axis) {
    const Four q = (p[axis] - grid.origin[axis]) * per_spacing;
    const simd::FourBits in =
        (q >= Four{} + 1.0) & (q < Four{} + double(asset::kBrickNodes * grid.places[axis] - 2));
    const Four safe = reinterpret_cast<Four>(reinterpret_cast<simd::FourBits>(q) & in);
    const Integers node = __builtin_convertvector(safe, Integers);
    t[axis] = safe - __builtin_convertvector(node, Four);
    for (int lane = 0; lane < simd::kLanes<Four>; ++lane) nodes[lane][axis] = node[lane] - 1;
    inside &= in;
  }
}

// Sets the lanes where `found` is not set to zero.
template <std::size_t kCount>
ABUT_INLINE void zero_elsewhere(const simd::FourBits& found, Four (&derivatives)[kCount]) {
  for (Four& d : derivatives) d = reinterpret_cast<Four>(reinterpret_cast<simd::FourBits>(d) & found);
}

// The field at p (m, one point per lane). Where a node is missing the value is `beyond` (m) and derivatives
// are 0.
template <int kOrder>
ABUT_INLINE void grid_fours(const asset::DistanceGridView& grid, const Four* p, double beyond,
                            Taylor<Four, kOrder>& phi) {
  constexpr int kRows = kOrder + 1, kLanes = simd::kLanes<Four>;
  const double per_spacing = 1 / grid.spacing;
  std::int32_t nodes[kLanes][3];
  Four t[3];
  simd::FourBits inside;
  find_nodes(grid, p, per_spacing, nodes, t, inside);
  Four along_x[kRows][4];
  splines_at<kOrder>(t[0], per_spacing, along_x);
  double numbers[2][4 * kRows * kLanes];  // the splines along y, z
  for (int axis = 1; axis < 3; ++axis) {
    Four splines[kRows][4];
    splines_at<kOrder>(t[axis], per_spacing, splines);
    for (int i = 0; i < 4 * kRows; ++i) simd::store(splines[i / 4][i % 4], numbers[axis - 1] + kLanes * i);
  }
  Four planes[kLanes][kRows][kRows];
#pragma GCC unroll 1
  for (int lane = 0; lane < kLanes; ++lane) {
    GridCell<double> cell;
    if (inside[lane] != 0 && find_rows(grid, nodes[lane], cell)) {
      plane_sums<kOrder, kLanes>(cell, numbers[0] + lane, numbers[1] + lane, planes[lane]);
    } else {
      for (int n = 0; n < kRows; ++n)
        for (int m = 0; m + n < kRows; ++m) planes[lane][n][m] = Four{} + std::nan("");
    }
  }
#pragma GCC unroll 4
  for (int n = 0; n < kRows; ++n)
#pragma GCC unroll 4
    for (int m = 0; m + n < kRows; ++m) {
      Four along[4];
      transpose(planes[0][n][m], planes[1][n][m], planes[2][n][m], planes[3][n][m], along);
#pragma GCC unroll 4
      for (int l = 0; l + m + n < kRows; ++l) {
        const Four* const x = along_x[l];
        derivative<kOrder>(phi, l, m, n) =
            (x[0] * along[0] + x[1] * along[1]) + (x[2] * along[2] + x[3] * along[3]);
      }
    }
  // All numbers use the same coefficients: they are NaN in all of them or in none.
  const simd::FourBits found = phi.value == phi.value;
  if constexpr (kOrder >= 1) zero_elsewhere(found, phi.first);
  if constexpr (kOrder >= 2) zero_elsewhere(found, phi.second);
  if constexpr (kOrder >= 3) zero_elsewhere(found, phi.third);
  phi.value = phi.value == phi.value ? phi.value : Four{} + beyond;
}

}  // namespace abut::ssdf::internal
