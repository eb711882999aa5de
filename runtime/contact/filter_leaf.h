#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/asset/asset.h"
#include "runtime/bvh/overlap.h"
#include "runtime/core/simd.h"
#include "runtime/math/pose.h"

// The tetrahedra of a leaf in single precision, as the tests of pair_filter.cpp want them.
namespace abut::contact {

using Quad = float __attribute__((vector_size(16)));  // four lanes

// A tetrahedron in the frame of the query; lanes are corners, or the faces opposite them: inside is where
// n . x + d >= 0.
struct alignas(16) FilterTetrahedron {
  Quad x, y, z, pressures;  // of the corners: m, Pa
  Quad nx, ny, nz, d;       // of the planes of the faces: inward unit normal; m
  float gradient[4];        // of the pressure, and its value at the origin
  float size;               // no coordinate, nor its parts in a sum, is larger
  float face_size;          // of d likewise
  float slope;              // sum of the gradient's components' sizes
  float steepness;          // its length
  float strength;           // largest pressure
};

// What the quick tests of pairs of leaves need, one row each.
enum FilterRow {
  kCorner = 0,     // 4 k + (x, y, z, pressure) of corner k
  kGradient = 16,  // as above
  kLow = 20,       // least x, y, z, pressure, lowered by the rounding
  kHigh = 24,      // ... largest, raised
  kSize = 28,
  kSlope,
  kSteepness,
  kStrength,
  kFilterRows
};

// Two quads per row, of tetrahedra a, a, a, a and a + 1, a + 1, a + 1, a + 1: to be paired with four others.
struct alignas(32) EightTetrahedra {
  Quad rows[kFilterRows][2];  // for each FilterRow
};

// The tetrahedra of a leaf.
struct FilterLeaf {
  Quad rows[kFilterRows];           // for each FilterRow; lanes are tetrahedra
  FilterTetrahedron tetrahedra[4];  // the same, one after the other
};

// Four tetrahedra as they are read; lanes are tetrahedra.
struct FourTetrahedra {
  Quad corners[4][4];                                // of corner k: x, y, z, pressure
  Quad faces[4][4];                                  // of face k: n, d
  Quad gradient[4];                                  // of the pressure, Pa/m; its value at the origin, Pa
  Quad low[4], high[4];                              // of x, y, z (m) and pressure (Pa), rounded outward
  Quad size, face_size, slope, steepness, strength;  // as FilterTetrahedron has them
};

// The tetrahedra first, ..., first + count - 1 (1 to 4) of a body at pressures modulus times extent, in the
// frame of the query, in which it has the pose X_QC (null: its own frame). Lanes beyond `count` meet nothing.
void load(const asset::VolumeView& volume, double modulus, std::int32_t first, int count,
          const Pose<float>* X_QC, FourTetrahedra& four);

// One tetrahedron after the other, four of them.
void split(const FourTetrahedra& four, FilterTetrahedron* to);

// The rows, of two times two of them, each spread over four lanes; and of all four as they are.
void spread_rows(const FourTetrahedra& four, EightTetrahedra* eight);
void copy_rows(const FourTetrahedra& four, Quad* rows);  // lanes are tetrahedra

// More than the rounding of ten operations of relative size 2^-24.
inline constexpr float kFilterRounding = 1e-6f;

// |x|, lane by lane.
template <class T>
ABUT_INLINE void size_of(const T& x, T& to) {
  to = x < -x ? -x : x;
}
// The lesser of x and `to`, lane by lane.
template <class T>
ABUT_INLINE void lower(const T& x, T& to) {
  to = x < to ? x : to;
}
// The greater of x and `to`, lane by lane.
template <class T>
ABUT_INLINE void raise(const T& x, T& to) {
  to = x > to ? x : to;
}

// Bit k: lane k has its sign set.
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
