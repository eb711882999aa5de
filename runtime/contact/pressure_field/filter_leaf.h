#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/asset/asset.h"
#include "runtime/bvh/overlap.h"
#include "runtime/core/simd.h"
#include "runtime/math/pose.h"

// The tetrahedra of a leaf in single precision, laid out for the tests of pair_filter.cpp.
namespace abut::contact {

using Quad = float __attribute__((vector_size(16)));  // four lanes

// A tetrahedron in the frame of the query. Lanes are corners, or the faces opposite them, whose inner side is
// n . x + d >= 0.
struct alignas(16) FilterTetrahedron {
  Quad x, y, z, pressures;  // of the corners: m, Pa
  Quad nx, ny, nz, d;       // of the faces' planes: inward unit normal; m
  float gradient[4];        // gradient of the pressure, and the pressure at the origin
  float size;               // upper bound of the coordinates and of the terms that they are summed from
  float face_size;          // the same for d
  float slope;              // sum of the magnitudes of the gradient's components
  float steepness;          // length of the gradient
  float strength;           // largest pressure
};

// Rows of numbers that the quick tests of pairs of leaves need.
enum FilterRow {
  kCorner = 0,     // 4 k + (x, y, z, pressure) of corner k
  kGradient = 16,  // as in FilterTetrahedron
  kLow = 20,       // least x, y, z, pressure, lowered by the rounding
  kHigh = 24,      // greatest x, y, z, pressure, raised by the rounding
  kSize = 28,
  kSlope,
  kSteepness,
  kStrength,
  kFilterRows
};

// Two quads per row, for tetrahedra a, a, a, a and a + 1, a + 1, a + 1, a + 1, to be paired with four others.
struct alignas(32) EightTetrahedra {
  Quad rows[kFilterRows][2];  // for each FilterRow
};

// The tetrahedra of a leaf.
struct FilterLeaf {
  Quad rows[kFilterRows];           // for each FilterRow; lanes are tetrahedra
  FilterTetrahedron tetrahedra[4];  // the same, one by one
};

// Four tetrahedra as loaded; lanes are tetrahedra.
struct FourTetrahedra {
  Quad corners[4][4];    // of corner k: x, y, z, pressure
  Quad faces[4][4];      // of face k: n, d
  Quad gradient[4];      // gradient of the pressure, Pa/m, and the pressure at the origin, Pa
  Quad low[4], high[4];  // of x, y, z (m) and pressure (Pa), rounded outward
  Quad size, face_size, slope, steepness, strength;  // as in FilterTetrahedron
};

// Loads the tetrahedra first, ..., first + count - 1 (count 1 to 4) of a body with pressures modulus times
// extent, into the frame of the query, in which the body has the pose X_QC (null: its own frame). Lanes
// beyond `count` meet nothing.
void load(const asset::VolumeView& volume, double modulus, std::int32_t first, int count,
          const Pose<float>* X_QC, FourTetrahedra& four);

// Writes the four tetrahedra one by one to `to`.
void split(const FourTetrahedra& four, FilterTetrahedron* to);

// Writes the rows: spread_rows two pairs of tetrahedra, each spread over four lanes; copy_rows all four as
// they are.
void spread_rows(const FourTetrahedra& four, EightTetrahedra* eight);
void copy_rows(const FourTetrahedra& four, Quad* rows);  // lanes are tetrahedra

// Relative margin, above the rounding of ten operations of relative error 2^-24.
inline constexpr float kFilterRounding = 1e-6f;

// Sets `to` to |x|, lane by lane.
template <class T>
ABUT_INLINE void size_of(const T& x, T& to) {
  to = x < -x ? -x : x;
}
// Sets `to` to the lesser of x and `to`, lane by lane.
template <class T>
ABUT_INLINE void lower(const T& x, T& to) {
  to = x < to ? x : to;
}
// Sets `to` to the greater of x and `to`, lane by lane.
template <class T>
ABUT_INLINE void raise(const T& x, T& to) {
  to = x > to ? x : to;
}

// Returns the sign mask: bit k is set if lane k has its sign bit set.
ABUT_INLINE unsigned negative(const Quad& lanes) {
#ifdef __SSE__
  return static_cast<unsigned>(_mm_movemask_ps(lanes));
#else
  unsigned bits = 0;
  for (unsigned k = 0; k < 4; ++k) bits |= std::signbit(lanes[k]) ? 1u << k : 0u;
  return bits;
#endif
}
}  // namespace abut::contact
