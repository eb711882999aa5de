#include "runtime/ssdf/point_lattice_sums.h"

#include "runtime/ssdf/grid_lanes.h"

// Sums of the 125 coefficients about a point: for four points at a time, and one number at a time.
namespace abut::ssdf::internal {

namespace {

constexpr int kCells = PointLattice::kCells, kNodes = PointLattice::kNodes;

// The five quartic B-splines about a node, with t in [-1/2, 1/2] measured from it, as polynomials:
// [spline][power], in units of 1/384.
constexpr double kQuartic[5][5] = {{1, -8, 24, -32, 16},
                                   {76, -176, 96, 64, -64},
                                   {230, 0, -240, 0, 96},
                                   {76, 176, 96, -64, -64},
                                   {1, 8, 24, 32, 16}};

// These splines and their derivatives with respect to the position in m: splines[degree][node].
template <int kOrder, class T, class S>
ABUT_INLINE void quartics_at(const T& t, S per_node, T (*splines)[5]) {
  S scale = S(1) / S(384);
#pragma GCC unroll 4
  for (int degree = 0; degree <= kOrder; ++degree, scale *= per_node)
#pragma GCC unroll 5
    for (int i = 0; i < 5; ++i) {
      T sum{};
#pragma GCC unroll 5
      for (int power = 4; power >= degree; --power) {
        double factor = kQuartic[i][power];
        for (int k = 0; k < degree; ++k) factor *= power - k;
        sum = sum * t + S(factor);
      }
      splines[degree][i] = sum * scale;
    }
}

// The cell about a point: its first coefficient, and the position t of the point in it.
template <class S>
struct LatticeCell {
  const float* first;
  S t[3];
};

// Finds the cell about p (m); false where the field is surely `limit` (m) or more.
template <class S>
bool find_cell(const PointLattice& lattice, const S* p, S limit, LatticeCell<S>& cell) {
  std::size_t place = 0;
  int first = 0, octant = 0;
  for (int k = 2; k >= 0; --k) {
    const std::int32_t count = lattice.counts()[k];
    const S q = (p[k] - S(lattice.origin()[k])) * S(lattice.per_node()) + S(0.5);
    if (!(q >= S(kCells) && q < S(kCells * (count - 1)))) return false;
    const auto node = static_cast<std::int32_t>(q);
    cell.t[k] = q - S(node) - S(0.5);
    place = place * static_cast<std::size_t>(count) + static_cast<std::size_t>(node / kCells);
    first = first * kNodes + node % kCells;
    octant = octant * 2 + node % kCells / 2;
  }
  const PointLattice::Brick* const brick = lattice.brick(place);
  if (brick == nullptr || !(S(brick->low[octant]) < limit)) return false;
  cell.first = brick->coefficients + first;
  return true;
}

// The cells about four points: the first coefficient of each, null where the field is surely no less than a
// limit, and the positions t of the points in them.
struct LatticeCells {
  const float* first[4];
  Four t[3];
};

// Finds the cells; false where all are null. p, `limit`: m.
ABUT_INLINE bool find_cells(const PointLattice& lattice, const Four* p, double limit, LatticeCells& cells) {
  using Integers = std::int32_t __attribute__((vector_size(16)));
  Integers place{}, first{}, octant{};
  simd::FourBits inside = simd::FourBits{} - 1;
#pragma GCC unroll 3
  for (int k = 2; k >= 0; --k) {
    const std::int32_t count = lattice.counts()[k];
    const Four q = (p[k] - lattice.origin()[k]) * lattice.per_node() + 0.5;
    inside &= (q >= Four{} + double(kCells)) & (q < Four{} + double(kCells * (count - 1)));
    const Four safe = inside ? q : Four{} + double(kCells);
    const Integers node = __builtin_convertvector(safe, Integers);
    cells.t[k] = safe - __builtin_convertvector(node, Four) - 0.5;
    const Integers within = node & (kCells - 1);
    place = place * count + (node >> 2);
    first = first * kNodes + within;
    octant = octant * 2 + (within >> 1);
  }
  bool any = false;
#pragma GCC unroll 4
  for (int lane = 0; lane < 4; ++lane) {
    cells.first[lane] = nullptr;
    if (inside[lane] == 0) continue;
    const PointLattice::Brick* const brick = lattice.brick(static_cast<std::size_t>(place[lane]));
    if (brick == nullptr || !(brick->low[octant[lane]] < limit)) continue;
    cells.first[lane] = brick->coefficients + first[lane];
    any = true;
  }
  return any;
}

// Sums over the rows of a cell, for each derivative along z and y: at its first four nodes along x (plane)
// and at the last (end). y, z: the splines of each degree at five nodes, stored kStride numbers apart.
template <int kOrder, int kStride>
ABUT_INLINE void quartic_planes(const float* first, const double* y, const double* z,
                                Four (&plane)[kOrder + 1][kOrder + 1],
                                double (&end)[kOrder + 1][kOrder + 1]) {
#pragma GCC unroll 1
  for (int k = 0; k < 5; ++k) {
    Four line[kOrder + 1];
    double last[kOrder + 1];
#pragma GCC unroll 5
    for (int j = 0; j < 5; ++j) {
      const float* const at = first + kNodes * (kNodes * k + j);
      Four row;
      load_row(at, row);
      const double fifth = at[4];
#pragma GCC unroll 4
      for (int m = 0; m <= kOrder; ++m) {
        const double weight = y[kStride * (5 * m + j)];
        line[m] = j == 0 ? row * weight : Four(line[m] + row * weight);
        last[m] = j == 0 ? fifth * weight : last[m] + fifth * weight;
      }
    }
#pragma GCC unroll 4
    for (int n = 0; n <= kOrder; ++n)
#pragma GCC unroll 4
      for (int m = 0; m + n <= kOrder; ++m) {
        const double weight = z[kStride * (5 * n + k)];
        plane[n][m] = k == 0 ? line[m] * weight : Four(plane[n][m] + line[m] * weight);
        end[n][m] = k == 0 ? last[m] * weight : end[n][m] + last[m] * weight;
      }
  }
}

// The field at four points in their cells. Where a cell is null the value is `beyond` (m) and derivatives are
// 0.
template <int kOrder>
ABUT_INLINE void cell_fours(const LatticeCells& cells, double per_node, double beyond,
                            Taylor<Four, kOrder>& phi) {
  constexpr int kRows = kOrder + 1, kLanes = simd::kLanes<Four>;
  Four weights[3][kRows][5];
  for (int axis = 0; axis < 3; ++axis) quartics_at<kOrder>(cells.t[axis], per_node, weights[axis]);
  double numbers[2][5 * kRows * kLanes];
  for (int i = 0; i < 5 * kRows; ++i) {
    simd::store(weights[1][i / 5][i % 5], numbers[0] + kLanes * i);
    simd::store(weights[2][i / 5][i % 5], numbers[1] + kLanes * i);
  }
  Four planes[kLanes][kRows][kRows];
  double ends[kLanes][kRows][kRows];
  simd::FourBits found{};
#pragma GCC unroll 1
  for (int lane = 0; lane < kLanes; ++lane) {
    const float* const first = cells.first[lane];
    if (first != nullptr) {
      found[lane] = -1;
      quartic_planes<kOrder, kLanes>(first, numbers[0] + lane, numbers[1] + lane, planes[lane], ends[lane]);
    } else {
      for (int n = 0; n < kRows; ++n)
        for (int m = 0; m + n < kRows; ++m) {
          planes[lane][n][m] = Four{};
          ends[lane][n][m] = 0;
        }
    }
  }
#pragma GCC unroll 4
  for (int n = 0; n < kRows; ++n)
#pragma GCC unroll 4
    for (int m = 0; m + n < kRows; ++m) {
      Four along[5];
      transpose(planes[0][n][m], planes[1][n][m], planes[2][n][m], planes[3][n][m], along);
      along[4] = Four{ends[0][n][m], ends[1][n][m], ends[2][n][m], ends[3][n][m]};
#pragma GCC unroll 4
      for (int l = 0; l + m + n < kRows; ++l) {
        const Four* const x = weights[0][l];
        const Four sum =
            (x[0] * along[0] + x[1] * along[1]) + (x[2] * along[2] + x[3] * along[3]) + x[4] * along[4];
        derivative<kOrder>(phi, l, m, n) = sum;
      }
    }
  phi.value = found ? phi.value : Four{} + beyond;
}

// The field at p (m), computed one number at a time.
template <int kOrder, class S>
bool cell_sum(const PointLattice& lattice, const S* p, S limit, Taylor<S, kOrder>& phi) {
  constexpr int kRows = kOrder + 1;
  LatticeCell<S> cell;
  phi.clear();
  phi.value = limit;
  if (!find_cell(lattice, p, limit, cell)) return false;
  phi.value = S(0);
  S weights[3][kRows][5];
  for (int axis = 0; axis < 3; ++axis)
    quartics_at<kOrder>(cell.t[axis], S(lattice.per_node()), weights[axis]);
  for (int k = 0; k < 5; ++k)
    for (int j = 0; j < 5; ++j)
      for (int l = 0; l < kRows; ++l) {
        S sum(0);
        for (int i = 0; i < 5; ++i) sum += weights[0][l][i] * S(cell.first[kNodes * (kNodes * k + j) + i]);
        for (int m = 0; l + m < kRows; ++m)
          for (int n = 0; l + m + n < kRows; ++n)
            derivative<kOrder>(phi, l, m, n) += sum * weights[1][m][j] * weights[2][n][k];
      }
  return phi.value < limit;
}

template <int kOrder>
ABUT_INLINE bool sum_fours(const PointLattice& lattice, const Four* p, double limit,
                           Taylor<Four, kOrder>& phi) {
  LatticeCells cells;
  phi.clear();
  phi.value += limit;
  if (!find_cells(lattice, p, limit, cells)) return false;
  cell_fours<kOrder>(cells, lattice.per_node(), limit, phi);
  return simd::any<Four>(phi.value < Four{} + limit);
}

ABUT_CLONES_FUSED
bool felt_by_fours(const PointLattice& lattice, const Four* p, double limit) {
  LatticeCells cells;
  return find_cells(lattice, p, limit, cells);
}
ABUT_CLONES_FUSED
bool first_by_fours(const PointLattice& lattice, const Four* p, double limit, Taylor<Four, 1>& phi) {
  return sum_fours<1>(lattice, p, limit, phi);
}
ABUT_CLONES_FUSED
bool second_by_fours(const PointLattice& lattice, const Four* p, double limit, Taylor<Four, 2>& phi) {
  return sum_fours<2>(lattice, p, limit, phi);
}
ABUT_CLONES_FUSED
bool third_by_fours(const PointLattice& lattice, const Four* p, double limit, Taylor<Four, 3>& phi) {
  return sum_fours<3>(lattice, p, limit, phi);
}

}  // namespace

template <int kOrder, class T, class S>
bool lattice_field(const PointLattice& lattice, const T* p, S limit, Taylor<T, kOrder>& phi) {
  if constexpr (simd::kLanes<T> == 1)
    return cell_sum<kOrder>(lattice, p, limit, phi);
  else if constexpr (kOrder == 1)
    return first_by_fours(lattice, p, limit, phi);
  else if constexpr (kOrder == 2)
    return second_by_fours(lattice, p, limit, phi);
  else
    return third_by_fours(lattice, p, limit, phi);
}

template <class T, class S>
bool lattice_felt(const PointLattice& lattice, const T* p, S limit) {
  if constexpr (simd::kLanes<T> == 1) {
    LatticeCell<S> cell;
    return find_cell(lattice, p, limit, cell);
  } else {
    return felt_by_fours(lattice, p, limit);
  }
}

using Long = long double;
template bool lattice_field<1>(const PointLattice&, const Four*, double, Taylor<Four, 1>&);
template bool lattice_field<2>(const PointLattice&, const Four*, double, Taylor<Four, 2>&);
template bool lattice_field<3>(const PointLattice&, const Four*, double, Taylor<Four, 3>&);
template bool lattice_field<1>(const PointLattice&, const Long*, Long, Taylor<Long, 1>&);
template bool lattice_field<2>(const PointLattice&, const Long*, Long, Taylor<Long, 2>&);
template bool lattice_field<3>(const PointLattice&, const Long*, Long, Taylor<Long, 3>&);
template bool lattice_felt(const PointLattice&, const Four*, double);
template bool lattice_felt(const PointLattice&, const Long*, Long);

}  // namespace abut::ssdf::internal
