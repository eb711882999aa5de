#pragma once

#include "runtime/ssdf/field.h"
#include "runtime/ssdf/taylor.h"
#include "runtime/ssdf/two_stage_points.h"

// The soft signed distance in two stages, from only the centres x_i and unit normals n_i of a surface's
// pieces, with derivatives up to the third. All lengths in spacings of the cloud; r_i = |p - x_i| and
// g_i = n_i . (p - x_i).
//   E(r) = 2 R / e (sqrt(r^2 + R^2) - R)          like r^2 / e near, linear far away
//   stage 1: w_i = exp(-E(r_i) - B q^4 / (1 + q^4)), q = max(-g_i, 0) / depth
//            N = sum w n / sum w,  u_i = E(r_i) + ln sum w
//   stage 2: b_i = max(1 - u_i / C, 0)^8 ((1 + n_i . N) / 2)^7,   Phi = sum b g / sum b
// Stage 1 picks the face. It is sharp, and planes that p lies behind count less, so that points next to a
// thin wall or outside an edge choose the right side. Stage 2 blends planes with similar normals; its weights
// end at a finite distance with seven continuous derivatives, which bounds the points that the sums have to
// visit.
namespace abut::ssdf {

namespace internal {

// Computes the derivatives of E, given `root`, the square root in E; does not change its value.
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

// B / depth.
inline constexpr double kPenaltySlope = TwoStage::kWeight / TwoStage::kDepth;

// Depth q of p behind a plane, in units of `kDepth`.
template <class T>
ABUT_INLINE void behind(const T& g, T& q) {
  T zero{};
  simd::greatest<T>(g * (-1 / TwoStage::kDepth), zero, q);
}

// Adds the derivatives of B q^4 / (1 + q^4) to those of E.
template <class T, int kOrder, class S>
ABUT_INLINE void penalize(const T& g, const Normal<S>& n, Taylor<T, kOrder>& E) {
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

// sum += w g t, where g is the height above a plane.
template <class T, int kOrder, class S>
ABUT_INLINE void add_height(const T& w, const T& g, const Normal<S>& n, const Taylor<T, kOrder>& t,
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

// Intermediate values that the derivatives reuse for each point in the list: the square root in E, the height
// g, the slope of the penalty with respect to g, and the weights w, b, b / y and b / v.
enum ScratchRow { kRoot, kHeight, kSteep, kStageOne, kStageTwo, kByY, kByV, kScratchRows };

// Scratch memory for a list of points.
template <class T, class S>
struct Scratch {
  S* numbers;          // (count, kScratchRows) lanes
  std::int32_t* kept;  // those that count in stage 2

  ABUT_INLINE S* at(int i, int what) const { return numbers + simd::kLanes<T> * (kScratchRows * i + what); }
  ABUT_INLINE void get(int i, int what, T& value) const { take(at(i, what), value); }
};

// Scratch for a list of `count` points, allocated in `memory`.
template <class T, class S>
Scratch<T, S> make_scratch(int count, NearScratch<S>& memory) {
  const auto room = static_cast<std::size_t>(count);
  if (memory.kept.size() < room) memory.kept.resize(2 * room);
  if (memory.lanes.size() < kPack * kScratchRows * room) memory.lanes.resize(2 * kPack * kScratchRows * room);
  return {memory.lanes.data(), memory.kept.data()};
}

// Sums of both stages.
template <class T>
struct Sums {
  T over;     // 1 / sum w
  T N[3];     // of stage 1
  T level;    // u - E
  T bottom;   // sum b
  T bn[3]{};  // sum b n
  int kept;   // number of points that count in stage 2
};

// Stage 1.
template <class T, class S>
ABUT_INLINE void pick_face(const NearPoints<S>& near, const T* p, const Scratch<T, S>& scratch,
                           Sums<T>& sums) {
  Sight<T> sight;
  T least, q, w, root;
  simd::fill<T>(1e300, least);
  for (int i = 0; i < near.count; ++i) {
    look(near.packs + near.places[i], p, sight);
    const T square = sight.d[0] * sight.d[0] + sight.d[1] * sight.d[1] + sight.d[2] * sight.d[2];
    simd::square_root<T>(square + kFar2, root);
    simd::least<T>(root, least, least);
    put(root, scratch.at(i, kRoot));
    put(sight.g, scratch.at(i, kHeight));
  }
  T sum{}, along[3]{};
  for (int i = 0; i < near.count; ++i) {
    const Normal<S> n(near.packs + near.places[i]);
    scratch.get(i, kRoot, root);
    scratch.get(i, kHeight, sight.g);
    behind(sight.g, q);
    const T q2 = q * q, under = 1.0 / (1.0 + q2 * q2);
    put(T((-4 * kPenaltySlope) * (q2 * q) * (under * under)), scratch.at(i, kSteep));
    const T exponent = TwoStage::kSharpness * (least - root) - TwoStage::kWeight * (q2 * q2 * under);
    simd::exponential<T>(exponent, w);
    put(w, scratch.at(i, kStageOne));
    sum += w;
    for (int j = 0; j < 3; ++j) along[j] += w * n[j];
  }
  sums.over = 1.0 / sum;
  for (int j = 0; j < 3; ++j) sums.N[j] = along[j] * sums.over;
  simd::logarithm(sum, sums.level);
  sums.level -= TwoStage::kSharpness * least;
}

// Stage 2: computes Phi, and keeps the points that count.
template <class T, class S>
ABUT_INLINE void blend_planes(const NearPoints<S>& near, const Scratch<T, S>& scratch, Sums<T>& sums,
                              T& phi) {
  const T none{};
  T top{}, root, g, y, v;
  sums.bottom = none;
  sums.kept = 0;
  for (int i = 0; i < near.count; ++i) {
    scratch.get(i, kRoot, root);
    y = (TwoStage::kSharpness * root + sums.level) * (-1 / TwoStage::kEnd) + 1.0;
    if (!simd::any<T>(y > none)) continue;
    scratch.kept[sums.kept++] = i;
    const Normal<S> n(near.packs + near.places[i]);
    v = 0.5 + 0.5 * (n[0] * sums.N[0] + n[1] * sums.N[1] + n[2] * sums.N[2]);
    simd::greatest<T>(y, none, y);
    simd::greatest<T>(v, none, v);
    const T y2 = y * y, y3 = y2 * y, v2 = v * v, both = (y3 * y3 * y) * (v2 * v2 * v2);
    const T by_y = both * v, by_v = both * y, b = by_y * y;
    put(b, scratch.at(i, kStageTwo));
    put(by_y, scratch.at(i, kByY));
    put(by_v, scratch.at(i, kByV));
    sums.bottom += b;
    scratch.get(i, kHeight, g);
    top += b * g;
    for (int j = 0; j < 3; ++j) sums.bn[j] += b * n[j];
  }
  phi = top / sums.bottom;
}

// Derivatives of sum b (g - Phi) with respect to the inputs of stage 2 from stage 1: `level` and N.
template <class T>
struct Adjoint {
  T level{}, N[3]{};
};

// Computes them; overwrites b / y of each point by the derivative with respect to E.
template <class T, class S>
ABUT_INLINE void adjoint(const NearPoints<S>& near, const Scratch<T, S>& scratch, const Sums<T>& sums,
                         const T& phi, Adjoint<T>& result) {
  for (int j = 0; j < sums.kept; ++j) {
    const int i = scratch.kept[j];
    const Normal<S> n(near.packs + near.places[i]);
    T h, by_E, by_v;
    scratch.get(i, kHeight, h);
    scratch.get(i, kByY, by_E);
    scratch.get(i, kByV, by_v);
    h -= phi;
    by_E = (-8 / TwoStage::kEnd) * h * by_E;
    by_v = 3.5 * h * by_v;
    put(by_E, scratch.at(i, kByY));
    result.level += by_E;
    for (int k = 0; k < 3; ++k) result.N[k] += by_v * n[k];
  }
}

// Only the gradient, in reverse mode: the derivative of the field with respect to the logarithm of each w,
// then with respect to E and g.
template <class T, class S>
ABUT_INLINE void gradient(const NearPoints<S>& near, const T* p, const Scratch<T, S>& scratch,
                          const Sums<T>& sums, const Adjoint<T>& by, T* result) {
  T bn[3] = {sums.bn[0], sums.bn[1], sums.bn[2]};
  const T base = by.level - (by.N[0] * sums.N[0] + by.N[1] * sums.N[1] + by.N[2] * sums.N[2]);
  for (int i = 0, next = 0; i < near.count; ++i) {
    const S* const point = near.packs + near.places[i];
    const Normal<S> n(point);
    T w, by_E, e1, steep;
    scratch.get(i, kStageOne, w);
    w = (w * sums.over) * (base + by.N[0] * n[0] + by.N[1] * n[1] + by.N[2] * n[2]);
    scratch.get(i, kRoot, e1);
    e1 = TwoStage::kSharpness / e1;
    if (next < sums.kept && scratch.kept[next] == i) {
      scratch.get(i, kByY, by_E);
      e1 = e1 * (by_E - w);
      ++next;
    } else {
      e1 = -(e1 * w);
    }
    for (int k = 0; k < 3; ++k) bn[k] += e1 * (p[k] - point[kPack * k]);
    scratch.get(i, kSteep, steep);
    steep = -(w * steep);
    for (int k = 0; k < 3; ++k) bn[k] += steep * n[k];
  }
  const T over = 1.0 / sums.bottom;
  for (int k = 0; k < 3; ++k) result[k] = bn[k] * over;
}

// Stage 1 with derivatives: N and `level` below the highest order. At the highest order, only the combination
// that the field needs is summed, in `inner`.
template <class T, int kOrder, class S>
ABUT_INLINE void face(const NearPoints<S>& near, const T* p, const Scratch<T, S>& scratch,
                      const Sums<T>& sums, const Adjoint<T>& by, Taylor<T, kOrder>* N,
                      Taylor<T, kOrder>& level, Taylor<T, kOrder>& inner) {
  Taylor<T, kOrder> sum, along[3];
  T one;
  simd::fill<T>(1.0, one);
  sum.clear();
  inner.clear();
  for (int j = 0; j < 3; ++j) along[j].clear();
  const T base = by.level - (by.N[0] * sums.N[0] + by.N[1] * sums.N[1] + by.N[2] * sums.N[2]);
  for (int i = 0; i < near.count; ++i) {
    const S* const point = near.packs + near.places[i];
    const Normal<S> n(point);
    T w, root;
    scratch.get(i, kStageOne, w);
    scratch.get(i, kRoot, root);
    w = w * sums.over;
    Sight<T> sight;
    look(point, p, sight);
    Taylor<T, kOrder> E, t;
    remoteness(sight, root, E);
    penalize<T, kOrder, S>(sight.g, n, E);
    compose<T, kOrder>(E, one, -one, one, -one, t);
    add_orders<0, kOrder - 1>(w, t, sum);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) add_orders<0, kOrder - 1>(w * n[k], t, along[k]);
    add_orders<kOrder, kOrder>(w * (base + by.N[0] * n[0] + by.N[1] * n[1] + by.N[2] * n[2]), t, inner);
  }
  sum.value = one;
  for (int j = 0; j < 3; ++j) divide(along[j], sum, N[j]);
  compose<T, kOrder>(sum, sums.level, one, -one, 2.0 * one, level);
  for (int j = 0; j < 3; ++j) add_orders<kOrder, kOrder>(by.N[j], N[j], inner);
  add_orders<kOrder, kOrder>(by.level, level, inner);
}

// Derivatives of the logarithm of b, 8 ln y + 7 ln v, y = 1 - u / C, v = (1 + n . N) / 2, except for the
// terms with the highest order of N and `level`.
template <class T, int kOrder, class S>
ABUT_INLINE void blend(const Taylor<T, kOrder>& E, const Taylor<T, kOrder>& level, const Normal<S>& n,
                       const Taylor<T, kOrder>* N, Taylor<T, kOrder>& L) {
  constexpr double kStep = -1 / TwoStage::kEnd;
  Taylor<T, kOrder> y, v, of_v;
  T none;
  simd::fill<T>(1e-40, none);  // its eighth power is 0, the cube of its inverse is finite
  y.clear();
  add<T, kOrder>(T{} + kStep, E, y);
  add_orders<0, kOrder - 1>(T{} + kStep, level, y);
  simd::greatest<T>(1.0 + y.value, none, y.value);
  v.clear();
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) add_orders<0, kOrder - 1>(T{} + 0.5 * n[j], N[j], v);
  simd::greatest<T>(0.5 + v.value, none, v.value);
  const T iy = 1.0 / y.value, iv = 1.0 / v.value, iy2 = iy * iy, iv2 = iv * iv;
  compose<T, kOrder>(y, T{}, 8.0 * iy, -8.0 * iy2, 16.0 * iy2 * iy, L);
  compose<T, kOrder>(v, T{}, 7.0 * iv, -7.0 * iv2, 14.0 * iv2 * iv, of_v);
  add<T, kOrder>(T{} + 1.0, of_v, L);
}

// Derivatives of Phi up to the second or third order.
template <class T, int kOrder, class S>
ABUT_INLINE void derivatives(const NearPoints<S>& near, const T* p, const Scratch<T, S>& scratch,
                             const Sums<T>& sums, const Adjoint<T>& by, Taylor<T, kOrder>& phi) {
  Taylor<T, kOrder> N[3], level, top, bottom;
  const T value = phi.value;
  T one;
  simd::fill<T>(1.0, one);
  face<T, kOrder, S>(near, p, scratch, sums, by, N, level, top);
  bottom.clear();
  for (int j = 0; j < sums.kept; ++j) {
    const int i = scratch.kept[j];
    const S* const point = near.packs + near.places[i];
    const Normal<S> n(point);
    T b, root;
    scratch.get(i, kStageTwo, b);
    scratch.get(i, kRoot, root);
    Sight<T> sight;
    look(point, p, sight);
    Taylor<T, kOrder> E, L, t;
    E.value = TwoStage::kSharpness * root;
    remoteness(sight, root, E);
    blend<T, kOrder, S>(E, level, n, N, L);
    compose<T, kOrder>(L, one, one, one, one, t);
    add_orders<0, kOrder - 1>(b, t, bottom);
    add_height<T, kOrder, S>(b, sight.g - value, n, t, top);
  }
  top.value = T{};
  divide(top, bottom, phi);
  phi.value = value;
}

// Phi at p with its derivatives. Returns false, and only the value, where Phi is `limit` or more in all
// lanes.
template <class T, int kOrder, class S>
ABUT_INLINE bool two_stage(const NearPoints<S>& near, const T* p, S limit, const Scratch<T, S>& scratch,
                           Taylor<T, kOrder>& phi) {
  Sums<T> sums;
  pick_face(near, p, scratch, sums);
  blend_planes(near, scratch, sums, phi.value);
  if (!simd::any<T>(phi.value < T{} + limit)) return false;
  if constexpr (kOrder == 0) return true;
  Adjoint<T> by;
  adjoint(near, scratch, sums, phi.value, by);
  if constexpr (kOrder == 1)
    gradient(near, p, scratch, sums, by, phi.first);
  else if constexpr (kOrder > 1)
    derivatives<T, kOrder, S>(near, p, scratch, sums, by, phi);
  return true;
}

}  // namespace internal

// The field at p_Q (m, in the frame of the points). kInvalidInput: p_Q is not finite, or farther than 1e8
// spacings from the points.
template <class S>
SoftDistance<S> two_stage_distance(const asset::PointsView& points, const Vec3<S>& p_Q,
                                   Order order = Order::kHessian);

}  // namespace abut::ssdf
