#pragma once

#include <cmath>
#include <cstdint>

// Four or eight doubles at a time with the compiler's vector extensions, and the functions that the soft sums
// need. Kernels are templates on the lane type: Four, Eight, or a plain scalar, which serves as the
// reference.
//
// A kernel for Four belongs in a function marked ABUT_CLONES: it is compiled for the portable instruction set
// and for AVX2, and the version is chosen when the program starts. A kernel for Eight belongs in a function
// marked ABUT_CLONES_OF_EIGHT, which is compiled for AVX-512, too. Everything a kernel calls must be inlined
// (ABUT_INLINE), since it would otherwise be compiled only for the portable set. Floating-point contraction
// is off (AbutFlags.cmake), so that the versions for Four are bit-identical. It is on where a result need
// only hold to a tolerance and fused multiply-adds give speed: in functions marked ABUT_CLONES_FUSED and in
// ssdf/field_batch.cpp, the only user of Eight. Sanitized builds have no clones, as sanitizers run before the
// choice can be made.
#if defined(__x86_64__) && !defined(ABUT_SANITIZED)
#define ABUT_CLONES __attribute__((target_clones("avx2", "default")))
#define ABUT_CLONES_FUSED __attribute__((target_clones("fma", "default")))
#define ABUT_CLONES_OF_EIGHT __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define ABUT_CLONES
#define ABUT_CLONES_FUSED
#define ABUT_CLONES_OF_EIGHT
#endif
#define ABUT_INLINE __attribute__((always_inline)) inline
#define ABUT_INLINE_LAMBDA __attribute__((always_inline))

namespace abut::simd {

using Four = double __attribute__((vector_size(32)));
using FourBits = std::int64_t __attribute__((vector_size(32)));

using Eight = double __attribute__((vector_size(64)));
using EightBits = std::int64_t __attribute__((vector_size(64)));

// For access to arrays of double that need not be aligned as vectors.
struct __attribute__((packed, aligned(8), may_alias)) FourUnaligned {
  Four value;
};
struct __attribute__((packed, aligned(8), may_alias)) EightUnaligned {
  Eight value;
};

template <class T>
inline constexpr int kLanes = 1;
template <>
inline constexpr int kLanes<Four> = 4;
template <>
inline constexpr int kLanes<Eight> = 8;

// Loads the kLanes<T> numbers that start at `from`.
template <class T>
ABUT_INLINE void load(const double* from, T& to) {
  to = static_cast<T>(*from);
}
template <>
ABUT_INLINE void load(const double* from, Four& to) {
  to = reinterpret_cast<const FourUnaligned*>(from)->value;
}
template <>
ABUT_INLINE void load(const double* from, Eight& to) {
  to = reinterpret_cast<const EightUnaligned*>(from)->value;
}

// Stores the four lanes at `to`, which need not be aligned.
ABUT_INLINE void store(const Four& from, double* to) { reinterpret_cast<FourUnaligned*>(to)->value = from; }

// Sets every lane to the same number.
template <class T, class S>
ABUT_INLINE void fill(S number, T& to) {
  if constexpr (kLanes<T> == 1)
    to = static_cast<T>(number);
  else
    to = T{} + number;
}

// Sum of the lanes, added in a fixed order.
template <class T>
ABUT_INLINE auto sum(const T& x) {
  if constexpr (kLanes<T> == 1)
    return x;
  else {
    static_assert(kLanes<T> == 4);
    return (x[0] + x[1]) + (x[2] + x[3]);
  }
}

template <class T>
ABUT_INLINE void least(const T& a, const T& b, T& to) {
  to = a < b ? a : b;
}
template <class T>
ABUT_INLINE void greatest(const T& a, const T& b, T& to) {
  to = a > b ? a : b;
}

// Smallest and largest lane.
template <class T>
ABUT_INLINE auto least_lane(const T& x) {
  if constexpr (kLanes<T> == 1)
    return x;
  else {
    static_assert(kLanes<T> == 4);
    const double a = x[0] < x[1] ? x[0] : x[1], b = x[2] < x[3] ? x[2] : x[3];
    return a < b ? a : b;
  }
}
template <class T>
ABUT_INLINE auto greatest_lane(const T& x) {
  if constexpr (kLanes<T> == 1) {
    return x;
  } else if constexpr (kLanes<T> == 8) {
    double most = x[0];
    for (int k = 1; k < 8; ++k) most = x[k] > most ? x[k] : most;
    return most;
  } else {
    const double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
  }
}

// Returns whether a lane-wise comparison holds in any lane.
template <class T, class Truth>
ABUT_INLINE bool any(const Truth& truth) {
  if constexpr (kLanes<T> == 1)
    return truth;
  else {
    static_assert(kLanes<T> == 4);
    return ((truth[0] | truth[1]) | (truth[2] | truth[3])) != 0;
  }
}

// Square root of x >= 0.
template <class T>
ABUT_INLINE void square_root(const T& x, T& to) {
  using std::sqrt;
  if constexpr (kLanes<T> == 1)
    to = sqrt(x);
  else {
    static_assert(kLanes<T> == 4);
    to = T{__builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]), __builtin_sqrt(x[3])};
  }
}

inline constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer, which then is in the low bits

// 2^k e^r for |r| <= ln 2 / 2, by the Taylor polynomial of degree 12 (error 2e-16), given k_rounded = k +
// kRound; 0 in the lanes where `kept` is 0.
ABUT_INLINE void scaled_exponential(const Four& k_rounded, const Four& r, const FourBits& kept, Four& to) {
  const Four r2 = r * r, r4 = r2 * r2;
  const Four p0 = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const Four p4 = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const Four p8 = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800)) +
                  r4 * (1.0 / 479001600);
  const Four e_r = p0 + r4 * (p4 + r4 * p8);
  const FourBits exponent = reinterpret_cast<FourBits>(k_rounded) << 52;  // k, shifted into the exponent bits
  const FourBits bits = (reinterpret_cast<FourBits>(e_r) + exponent) & kept;
  to = reinterpret_cast<Four>(bits);
}

// exp(x) for x < 700. Vectors give 0 below -700, where scalars underflow only at -745.
template <class T>
ABUT_INLINE void exponential(const T& x, T& to) {
  using std::exp;
  to = exp(x);
}
template <>
ABUT_INLINE void exponential(const Four& x, Four& to) {
  // kHigh + kLow = ln 2, split such that k kHigh is exact
  constexpr double kHigh = 0x1.62e42fefap-1, kLow = 0x1.cf79abc9e3b39p-40;
  const Four lowest = Four{} - 700.0;
  const FourBits kept = x > lowest;
  const Four y = x > lowest ? x : lowest;
  const Four k_rounded = y * 1.4426950408889634074 + kRound;
  const Four k = k_rounded - kRound;
  scaled_exponential(k_rounded, (y - k * kHigh) - k * kLow, kept, to);
}

// Natural logarithm of x > 0.
template <class T>
ABUT_INLINE void logarithm(const T& x, T& to) {
  using std::log;
  if constexpr (kLanes<T> == 1)
    to = log(x);
  else
    to = T{std::log(x[0]), std::log(x[1]), std::log(x[2]), std::log(x[3])};
}

// log(1 + t) for t in [0, 1], for vectors as 2 artanh(z) with z = t / (2 + t) <= 1/3 and 17 terms of its
// series (error below 1e-17).
template <class T>
ABUT_INLINE void log_one_plus(const T& t, T& to) {
  using std::log1p;
  to = log1p(t);
}
template <>
ABUT_INLINE void log_one_plus(const Four& t, Four& to) {
  const Four z = t / (2.0 + t), y = z * z;
  Four sum = Four{} + 1.0 / 33;
  for (int k = 31; k >= 1; k -= 2) sum = sum * y + 1.0 / k;
  to = 2.0 * z * sum;
}

}  // namespace abut::simd
