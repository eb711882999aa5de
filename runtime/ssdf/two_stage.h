#pragma once

#include <cmath>
#include <vector>

#include "runtime/ssdf/block_sums.h"
#include "runtime/ssdf/field.h"
#include "runtime/ssdf/taylor.h"

// The soft signed distance in two stages, from centres x_i and unit normals n_i of a surface's pieces alone,
// with derivatives up to the third. All lengths in spacings of the cloud; r_i = |p - x_i|, g_i = n_i . (p -
// x_i).
//   E(r) = 2 R / e (sqrt(r^2 + R^2) - R)          like r^2 / e near, linear far away
//   stage 1: w_i = exp(-E(r_i) - B q^4 / (1 + q^4)), q = max(-g_i, 0) / depth
//            N = sum w n / sum w,  u_i = E(r_i) + ln sum w
//   stage 2: b_i = max(1 - u_i / C, 0)^8 ((1 + n_i . N) / 2)^7,   Phi = sum b g / sum b
// Stage 1 picks the face: sharply, and planes that p lies behind count less, so that points beside a thin
// wall or outside an edge choose the right side. Stage 2 blends planes of like normals; its weights end at a
// finite distance with seven continuous derivatives, and with them ends what the sums have to look at.
namespace abut::ssdf {

struct TwoStage {
  static constexpr double kFar = 3;         // R
  static constexpr double kSharpness = 24;  // 2 R / e, e = 1/4
  static constexpr double kWeight = 3;      // B
  static constexpr double kDepth = 0.35;
  static constexpr double kEnd = 16;  // C: near u = 0 stage 2 is like exp(-2 r^2 / (e C))
  // Points with E more than this above that of the nearest are left out: each of them weighs less than
  // 1.4e-11 in stage 1, and nothing in stage 2, where u > kCut - kWeight is beyond the end.
  static constexpr double kCut = 25;
};

namespace internal {

// A cloud's points that matter, (count, 6): position (spacings) and normal.
template <class S>
struct NearPoints {
  const S* numbers;
  int count;
};

// Numbers that a near point takes: position, normal, and the scratch for at most four lanes.
inline constexpr int kPerPoint = 6 + 3 * 4;

// Puts the points within sqrt(range2) of p (m), relative to it in units of 1 / scale, into `near`, which
// grows where it must; returns their count.
template <class T, class S>
ABUT_INLINE int gather(const asset::PointBlocksView& blocks, const S* p, S range2, S scale,
                       std::vector<S>& near) {
  std::size_t count = 0;
  visit_near<T, S>(blocks, p, range2, [&](std::int32_t block) ABUT_INLINE_LAMBDA {
    if (near.size() < kPerPoint * (count + asset::kBlockPoints))
      near.resize(2 * kPerPoint * (count + asset::kBlockPoints));
    const double* const numbers = blocks.numbers + std::ptrdiff_t(block) * asset::kBlockNumbers;
    S* to = near.data() + 6 * count;
    for (int first = 0; first < asset::kBlockPoints; first += simd::kLanes<T>) {
      T d[3];
      for (int k = 0; k < 3; ++k) {
        simd::load(numbers + asset::kBlockPoints * k + first, d[k]);
        d[k] -= p[k];
      }
      const T square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      if (!simd::any<T>(square <= T{} + range2)) continue;
      for (int i = 0; i < simd::kLanes<T>; ++i) {
        for (int k = 0; k < 3; ++k) {
          to[k] = (S(numbers[asset::kBlockPoints * k + first + i]) - p[k]) * scale;
          to[3 + k] = S(numbers[asset::kBlockPoints * (3 + k) + first + i]);
        }
        if constexpr (simd::kLanes<T> == 1)
          to += 6;
        else
          to += square[i] <= range2 ? 6 : 0;
      }
    }
    count = static_cast<std::size_t>(to - near.data()) / 6;
  });
  return static_cast<int>(count);
}

// How far (spacings) a point may be to matter where the nearest is at `depth`.
template <class S>
S sight_range(S depth) {
  using std::sqrt;
  constexpr double kR2 = TwoStage::kFar * TwoStage::kFar;
  const S root = sqrt(depth * depth + kR2) + TwoStage::kCut / TwoStage::kSharpness;
  return sqrt(root * root - kR2);
}

// A point as seen from p: E(r) and the height g with the derivatives of E.
template <class T>
struct Sight {
  T d[3], g, square;
};

template <class T, class S>
ABUT_INLINE void look(const S* point, const T* p, Sight<T>& sight) {
  for (int k = 0; k < 3; ++k) sight.d[k] = p[k] - point[k];
  sight.g = point[3] * sight.d[0] + point[4] * sight.d[1] + point[5] * sight.d[2];
  sight.square = sight.d[0] * sight.d[0] + sight.d[1] * sight.d[1] + sight.d[2] * sight.d[2];
}

// Derivatives of E where its square root is `root`; the value stays as it is.
template <class T, int kOrder>
ABUT_INLINE void remoteness(const Sight<T>& sight, const T& root, Taylor<T, kOrder>& E) {
  if constexpr (kOrder > 0) {
    const T inverse = 1.0 / root, e1 = TwoStage::kSharpness * inverse;
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) E.first[k] = e1 * sight.d[k];
    if constexpr (kOrder > 1) {
      const T over = inverse * inverse, e2 = -e1 * over;
      T scaled[3];
      for (int k = 0; k < 3; ++k) scaled[k] = e2 * sight.d[k];
#pragma GCC unroll 6
      for (int m = 0; m < 6; ++m) {
        const int k = kSecondPlaces[m][0], l = kSecondPlaces[m][1];
        E.second[m] = scaled[k] * sight.d[l];
        if (k == l) E.second[m] += e1;
      }
      if constexpr (kOrder > 2) {
        const T e3 = -3.0 * over;
#pragma GCC unroll 10
        for (int m = 0; m < 10; ++m) {
          const int k = kThirdPlaces[m][0], l = kThirdPlaces[m][1], j = kThirdPlaces[m][2];
          T sum = e3 * scaled[k] * sight.d[l] * sight.d[j];
          if (k == l) sum += scaled[j];
          if (k == j) sum += scaled[l];
          if (l == j) sum += scaled[k];
          E.third[m] = sum;
        }
      }
    }
  }
}

// How far p lies behind a plane, in units of the depth.
template <class T>
ABUT_INLINE void behind(const T& g, T& q) {
  T zero{};
  simd::greatest<T>(g * (-1 / TwoStage::kDepth), zero, q);
}

// Derivatives of B q^4 / (1 + q^4), added to those of E.
template <class T, int kOrder, class S>
ABUT_INLINE void penalize(const T& g, const S* n, Taylor<T, kOrder>& E) {
  T q;
  behind(g, q);
  if (!simd::any<T>(q > T{})) return;
  if constexpr (kOrder > 0) {
    const T q2 = q * q, q4 = q2 * q2, under = 1.0 / (1.0 + q4);
    constexpr double c1 = -TwoStage::kWeight / TwoStage::kDepth, c2 = -c1 / TwoStage::kDepth,
                     c3 = -c2 / TwoStage::kDepth;
    const T under2 = under * under, f1 = c1 * (4.0 * q2 * q * under2);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) E.first[k] += f1 * n[k];
    if constexpr (kOrder > 1) {
      const T f2 = c2 * ((12.0 - 20.0 * q4) * q2 * under2 * under);
      for_second_places([&](int m, int k, int l) ABUT_INLINE_LAMBDA { E.second[m] += f2 * (n[k] * n[l]); });
      if constexpr (kOrder > 2) {
        const T f3 = c3 * ((24.0 + q4 * (120.0 * q4 - 240.0)) * q * under2 * under2);
        for_third_places([&](int m, int k, int l, int j)
                             ABUT_INLINE_LAMBDA { E.third[m] += f3 * (n[k] * n[l] * n[j]); });
      }
    }
  }
}

// sum += w g t, g the height over a plane.
template <class T, int kOrder, class S>
ABUT_INLINE void add_height(const T& w, const T& g, const S* n, const Taylor<T, kOrder>& t,
                            Taylor<T, kOrder>& sum) {
  add<T, kOrder>(w * g, t, sum);
  if constexpr (kOrder > 0) {
    T wn[3];
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) sum.first[k] += wn[k] = w * n[k];
    if constexpr (kOrder > 1)
      for_second_places([&](int m, int k, int l)
                            ABUT_INLINE_LAMBDA { sum.second[m] += wn[k] * t.first[l] + wn[l] * t.first[k]; });
    if constexpr (kOrder > 2)
      for_third_places([&](int m, int k, int l, int j) ABUT_INLINE_LAMBDA {
        sum.third[m] += wn[k] * t.second[second_place(l, j)] + wn[l] * t.second[second_place(k, j)] +
                        wn[j] * t.second[second_place(k, l)];
      });
  }
}

// What the values leave for the derivatives, of point i in places 3 i ...: the square root of E, and the
// weights w and b.
template <class T, class S>
struct Scratch {
  S* numbers;  // (count, 3) lanes

  ABUT_INLINE void put(int i, int what, const T& value) {
    if constexpr (simd::kLanes<T> == 1)
      numbers[3 * i + what] = value;
    else
      simd::store(value, numbers + simd::kLanes<T> * (3 * i + what));
  }
  ABUT_INLINE void get(int i, int what, T& value) const {
    if constexpr (simd::kLanes<T> == 1)
      value = numbers[3 * i + what];
    else
      simd::load(numbers + simd::kLanes<T> * (3 * i + what), value);
  }
  static std::size_t size(std::size_t count) { return count * 3 * simd::kLanes<T>; }
};
enum ScratchRow { kRoot, kStageOne, kStageTwo };

// Values: fills the scratch, N, `level` = u - E and Phi.
template <class T, class S>
ABUT_INLINE void values(const NearPoints<S>& near, const T* p, Scratch<T, S>& scratch, T* N, T& level,
                        T& phi) {
  constexpr double kR2 = TwoStage::kFar * TwoStage::kFar;
  Sight<T> sight;
  T least, q, w, root;
  simd::fill<T>(1e300, least);
  for (int i = 0; i < near.count; ++i) {
    look(near.numbers + 6 * i, p, sight);
    simd::square_root<T>(sight.square + kR2, root);
    simd::least<T>(root, least, least);
    scratch.put(i, kRoot, root);
  }
  T sum{}, sums[3]{};
  for (int i = 0; i < near.count; ++i) {
    const S* const point = near.numbers + 6 * i;
    look(point, p, sight);
    scratch.get(i, kRoot, root);
    T exponent = TwoStage::kSharpness * (least - root);
    behind(sight.g, q);
    if (simd::any<T>(q > T{})) {
      const T q2 = q * q, q4 = q2 * q2;
      exponent -= TwoStage::kWeight * q4 / (1.0 + q4);
    }
    simd::exponential<T>(exponent, w);
    scratch.put(i, kStageOne, w);
    sum += w;
    for (int j = 0; j < 3; ++j) sums[j] += w * point[3 + j];
  }
  const T over = 1.0 / sum;
  for (int j = 0; j < 3; ++j) N[j] = sums[j] * over;
  simd::logarithm(sum, level);
  level -= TwoStage::kSharpness * least;
  T top{}, bottom{}, none{};
  for (int i = 0; i < near.count; ++i) {
    const S *const point = near.numbers + 6 * i, *const n = point + 3;
    scratch.get(i, kRoot, root);
    T y = (TwoStage::kSharpness * root + level) * (-1 / TwoStage::kEnd) + 1.0;
    if (!simd::any<T>(y > none)) {
      scratch.put(i, kStageTwo, none);
      continue;
    }
    simd::greatest<T>(y, none, y);
    T v = 0.5 + 0.5 * (n[0] * N[0] + n[1] * N[1] + n[2] * N[2]);
    simd::greatest<T>(v, none, v);
    const T y2 = y * y, y4 = y2 * y2, v2 = v * v, b = y4 * y4 * (v2 * v2 * v2 * v);
    scratch.put(i, kStageTwo, b);
    look(point, p, sight);
    bottom += b;
    top += b * sight.g;
  }
  phi = top / bottom;
}

// Stage 1: N and `level`, with derivatives.
template <class T, int kOrder, class S>
ABUT_INLINE void face(const NearPoints<S>& near, const T* p, const Scratch<T, S>& scratch,
                      Taylor<T, kOrder>* N, Taylor<T, kOrder>& level) {
  Taylor<T, kOrder> sum, sums[3];
  T one;
  simd::fill<T>(1.0, one);
  sum.clear();
  for (int j = 0; j < 3; ++j) sums[j].clear();
  for (int i = 0; i < near.count; ++i) {
    const S *const point = near.numbers + 6 * i, *const n = point + 3;
    T root, w;
    scratch.get(i, kRoot, root);
    scratch.get(i, kStageOne, w);
    Sight<T> sight;
    look(point, p, sight);
    Taylor<T, kOrder> E, t;
    remoteness(sight, root, E);
    penalize<T, kOrder, S>(sight.g, n, E);
    compose<T, kOrder>(E, one, -one, one, -one, t);
    add<T, kOrder>(w, t, sum);
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) add<T, kOrder>(w * n[j], t, sums[j]);
  }
  for (int j = 0; j < 3; ++j) divide(sums[j], sum, N[j]);
  const T over = 1.0 / sum.value;
  compose<T, kOrder>(sum, level.value, over, -over * over, 2.0 * over * over * over, level);
}

// Derivatives of the logarithm of b, 8 ln y + 7 ln v, y = 1 - u / C, v = (1 + n . N) / 2.
template <class T, int kOrder, class S>
ABUT_INLINE void blend(const Taylor<T, kOrder>& E, const Taylor<T, kOrder>& level, const S* n,
                       const Taylor<T, kOrder>* N, Taylor<T, kOrder>& L) {
  constexpr double kStep = -1 / TwoStage::kEnd;
  Taylor<T, kOrder> y, v, of_v;
  T none;
  simd::fill<T>(1e-40, none);  // its eighth power is 0, its inverse cube a number
  y.clear();
  add<T, kOrder>(T{} + kStep, E, y);
  add<T, kOrder>(T{} + kStep, level, y);
  simd::greatest<T>(1.0 + y.value, none, y.value);
  v.clear();
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) add<T, kOrder>(T{} + 0.5 * n[j], N[j], v);
  simd::greatest<T>(0.5 + v.value, none, v.value);
  const T iy = 1.0 / y.value, iv = 1.0 / v.value, iy2 = iy * iy, iv2 = iv * iv;
  compose<T, kOrder>(y, T{}, 8.0 * iy, -8.0 * iy2, 16.0 * iy2 * iy, L);
  compose<T, kOrder>(v, T{}, 7.0 * iv, -7.0 * iv2, 14.0 * iv2 * iv, of_v);
  add<T, kOrder>(T{} + 1.0, of_v, L);
}

// Phi at p (spacings) with its derivatives. False, and the value alone, where it is `limit` or more at all
// places.
template <class T, int kOrder, class S>
ABUT_INLINE bool two_stage(const NearPoints<S>& near, const T* p, S limit, Scratch<T, S> scratch,
                           Taylor<T, kOrder>& phi) {
  Taylor<T, kOrder> N[3], level, top, bottom;
  T direction[3], one;
  values(near, p, scratch, direction, level.value, phi.value);
  if (!simd::any<T>(phi.value < T{} + limit)) return false;
  if constexpr (kOrder == 0) return true;
  face<T, kOrder, S>(near, p, scratch, N, level);
  top.clear();
  bottom.clear();
  simd::fill<T>(1.0, one);
  for (int i = 0; i < near.count; ++i) {
    T b, root;
    scratch.get(i, kStageTwo, b);
    if (!simd::any<T>(b > T{})) continue;
    const S *const point = near.numbers + 6 * i, *const n = point + 3;
    scratch.get(i, kRoot, root);
    Sight<T> sight;
    look(point, p, sight);
    Taylor<T, kOrder> E, L, t;
    E.value = TwoStage::kSharpness * root;
    remoteness(sight, root, E);
    blend<T, kOrder, S>(E, level, n, N, L);
    compose<T, kOrder>(L, one, one, one, one, t);
    add<T, kOrder>(b, t, bottom);
    add_height<T, kOrder, S>(b, sight.g, n, t, top);
  }
  divide(top, bottom, phi);
  return true;
}

}  // namespace internal

// The field at p_Q (m, in the frame of the points). kInvalidInput: p_Q is not finite, or farther than 1e8
// spacings from the points.
template <class S>
SoftDistance<S> two_stage_distance(const asset::PointsView& points, const Vec3<S>& p_Q,
                                   Order order = Order::kHessian);

}  // namespace abut::ssdf
