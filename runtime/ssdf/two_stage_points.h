#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/ssdf/block_sums.h"

// Selects the points of a cloud that matter for the field of two_stage.h. Templates on the lane type T
// (simd.h) and its scalar S. All lengths in spacings unless m is stated.
namespace abut::ssdf {

// Constants of the field, with their symbols in two_stage.h.
struct TwoStage {
  static constexpr double kFar = 3;         // R
  static constexpr double kSharpness = 24;  // 2 R / e, e = 1/4
  static constexpr double kWeight = 3;      // B
  static constexpr double kDepth = 0.35;    // `depth` behind a plane, the unit of q
  static constexpr double kEnd = 16;        // C: near u = 0 stage 2 is like exp(-2 r^2 / (e C))
  // Points whose E exceeds that of the nearest by more than this are left out: each of them weighs less than
  // 1.4e-11 in stage 1, and nothing in stage 2, where u > kCut - kWeight is beyond the end.
  static constexpr double kCut = 25;
};

namespace internal {

inline constexpr double kFar2 = TwoStage::kFar * TwoStage::kFar;

// Points are stored in packs of four: x, y, z and normal, four numbers each. The place of a point is the
// index of its x; its other numbers follow at strides of kPack.
inline constexpr int kPack = 4, kPackNumbers = 6 * kPack;

// The points that matter, as places in `packs`.
template <class S>
struct NearPoints {
  const S* packs;
  const std::int32_t* places;
  int count;
};

// Memory that is kept from call to call.
template <class S>
struct NearScratch {
  std::vector<S> packs, squares, lanes;
  std::vector<std::int32_t> places, kept;
};

// Loads the next numbers.
template <class T, class S>
ABUT_INLINE void take(const S* from, T& to) {
  if constexpr (simd::kLanes<T> == 1)
    to = *from;
  else
    simd::load(from, to);
}
template <class T, class S>
ABUT_INLINE void put(const T& from, S* to) {
  if constexpr (simd::kLanes<T> == 1)
    *to = from;
  else
    simd::store(from, to);
}

// Stores the points within sqrt(range2) of p (m), and some farther ones, into packs, relative to p in units
// of 1 / scale; returns the number of packs.
template <class T, class S>
ABUT_INLINE int gather(const asset::PointBlocksView& blocks, const S* p, S range2, S scale,
                       std::vector<S>& packs) {
  std::size_t count = 0;
  visit_near<T, S>(blocks, p, range2, [&](std::int32_t block) ABUT_INLINE_LAMBDA {
    const std::size_t needed = (count + asset::kBlockPoints / kPack) * kPackNumbers;
    if (packs.size() < needed) packs.resize(2 * needed);
    const double* const numbers = blocks.numbers + std::ptrdiff_t(block) * asset::kBlockNumbers;
    for (int first = 0; first < asset::kBlockPoints; first += kPack) {
      S* const to = packs.data() + count * kPackNumbers;
      bool near = false;
      for (int i = 0; i < kPack; i += simd::kLanes<T>) {
        T square{};
        for (int k = 0; k < 6; ++k) {
          T number;
          simd::load(numbers + asset::kBlockPoints * k + first + i, number);
          if (k < 3) {
            number -= p[k];
            square += number * number;
            number = number * scale;
          }
          put(number, to + kPack * k + i);
        }
        near = near || simd::any<T>(square <= T{} + range2);
      }
      count += near ? 1 : 0;
    }
  });
  return static_cast<int>(count);
}

// Distance up to which a point may matter where the nearest one is at `depth`.
template <class S>
S sight_range(S depth) {
  using std::sqrt;
  const S root = sqrt(depth * depth + kFar2) + TwoStage::kCut / TwoStage::kSharpness;
  return sqrt(root * root - kFar2);
}

// A point as seen from p: offset d, and height g of p above its plane.
template <class T>
struct Sight {
  T d[3], g;
};

template <class T, class S>
ABUT_INLINE void look(const S* point, const T* p, Sight<T>& sight) {
  for (int k = 0; k < 3; ++k) sight.d[k] = p[k] - point[kPack * k];
  sight.g = point[kPack * 3] * sight.d[0] + point[kPack * 4] * sight.d[1] + point[kPack * 5] * sight.d[2];
}

// A point's normal.
template <class S>
struct Normal {
  S n[3];
  ABUT_INLINE explicit Normal(const S* point) : n{point[kPack * 3], point[kPack * 4], point[kPack * 5]} {}
  ABUT_INLINE const S& operator[](int k) const { return n[k]; }
};

// Allocates the per-point data of `count` packs.
template <class S>
void make_room(int count, NearScratch<S>& memory) {
  const std::size_t room = std::size_t{kPack} * static_cast<std::size_t>(count);
  if (memory.squares.size() < room) memory.squares.resize(2 * room);
  if (memory.places.size() < room + 1) memory.places.resize(2 * room + 1);  // one more is written than kept
}

// Offset from a pack's points to c, and its squared length.
template <class T, class S>
ABUT_INLINE void offset(const S* pack, const S* c, T* d, T& square) {
  for (int k = 0; k < 3; ++k) {
    take(pack + kPack * k, d[k]);
    d[k] = c[k] - d[k];
  }
  square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// Returns the place of the point nearest to c; stores the squared distances of all points.
template <class T, class S>
ABUT_INLINE std::int32_t nearest_place(const S* packs, int count, const S* c, S* squares) {
  T least, d[3];
  simd::fill<T>(1e300, least);
  for (int i = 0; i < count; ++i)
    for (int lane = 0; lane < kPack; lane += simd::kLanes<T>) {
      T square;
      offset<T, S>(packs + kPackNumbers * i + lane, c, d, square);
      put(square, squares + kPack * i + lane);
      simd::least<T>(square, least, least);
    }
  const S nearest = simd::least_lane(least);
  std::int32_t i = 0;
  for (T square; i + kPack < kPack * count; i += simd::kLanes<T>) {
    take(squares + i, square);
    if (simd::any<T>(square == T{} + nearest)) break;
  }
  while (i + 1 < kPack * count && squares[i] != nearest) ++i;
  return kPackNumbers * (i / kPack) + i % kPack;
}

// Selects the places of the points within sqrt(range2); returns their count.
template <class T, class S>
ABUT_INLINE int select(const S* squares, int count, S range2, std::int32_t* places) {
  int found = 0;
  for (int i = 0; i < kPack * count; i += simd::kLanes<T>) {
    T square;
    take(squares + i, square);
    if (!simd::any<T>(square <= T{} + range2)) continue;
    for (int lane = i; lane < i + simd::kLanes<T>; ++lane) {
      places[found] = kPackNumbers * (lane / kPack) + lane % kPack;
      found += squares[lane] <= range2 ? 1 : 0;
    }
  }
  return found;
}

// The points of `count` packs within sqrt(range2) of c.
template <class T, class S>
ABUT_INLINE NearPoints<S> within(const S* c, S range2, int count, NearScratch<S>& memory) {
  make_room(count, memory);
  nearest_place<T>(memory.packs.data(), count, c, memory.squares.data());
  const int found = select<T>(memory.squares.data(), count, range2, memory.places.data());
  return {memory.packs.data(), memory.places.data(), found};
}

// Whether the origin is more than `band` above the planes of all points within sqrt(range2) of it.
template <class T, class S>
ABUT_INLINE bool above_all(const S* packs, int count, S range2, S band) {
  const S origin[3] = {S(0), S(0), S(0)};
  for (int i = 0; i < kPack * count; i += simd::kLanes<T>) {
    const S* const at = packs + kPackNumbers * (i / kPack) + i % kPack;
    T d[3], n[3], square;
    offset<T, S>(at, origin, d, square);
    for (int m = 0; m < 3; ++m) take(at + kPack * (3 + m), n[m]);
    const T gap = n[0] * d[0] + n[1] * d[1] + n[2] * d[2] - band;
    if (simd::any<T>((square <= T{} + range2) & (gap <= T{}))) return false;
  }
  return true;
}

// Whether the field is surely `limit` or more in the ball of `radius` about c. `nearest` is the place of the
// point nearest to c, called k below. In the ball no weight of stage 1 exceeds exp(e) times that of k,
//   e = E_k - E + 8 radius |x - x_k|     as |grad (E_k - E)| <= 8 |x - x_k|,
// no y of stage 2 exceeds 1 + e / 16, and that of k is at least 1 - ln(sum exp(e)) / 16. Where planes whose
// normals differ from that of k weigh at most kOthers, N is, except for that share, in the convex hull of a
// cone about the normal of k, which bounds v of each plane. This gives an upper bound of how far planes below
// the limit pull the mean down, and a lower bound of how far k holds it up.
template <class T, class S>
ABUT_INLINE bool surely_above(const S* packs, int count, const S* squares, std::int32_t nearest, const S* c,
                              S radius, S limit, S range2) {
  using std::log;
  using std::sqrt;
  constexpr double kOthers = 0.05, kCosine = 0.9, kSine = 0.4359;
  const S* const k = packs + nearest;
  S height(0), square(0);
  for (int m = 0; m < 3; ++m) {
    const S d = c[m] - k[kPack * m];
    height += d * k[kPack * (3 + m)];
    square += d * d;
  }
  if (!(height - radius > limit) || radius > S(1)) return false;
  const S root = sqrt(square + kFar2), steep = 8 * radius;
  T all{}, others{}, pull{}, none{};
  for (int i = 0; i < kPack * count; i += simd::kLanes<T>) {
    const S* const at = packs + kPackNumbers * (i / kPack) + i % kPack;
    T sight, d[3], n[3], apart, own, e, w, y, sine;
    take(squares + i, sight);
    if (!simd::any<T>(sight <= T{} + range2)) continue;
    const S x_k[3] = {k[0], k[kPack], k[2 * kPack]};
    offset<T, S>(at, x_k, d, apart);
    simd::square_root<T>(apart, apart);
    offset<T, S>(at, c, d, own);
    for (int m = 0; m < 3; ++m) take(at + kPack * (3 + m), n[m]);
    simd::square_root<T>(sight + kFar2, own);
    e = TwoStage::kSharpness * (root - own) + steep * apart;
    e = sight <= T{} + range2 ? e : none - 100.0;
    simd::exponential<T>(e, w);
    const T cosine = n[0] * k[3 * kPack] + n[1] * k[4 * kPack] + n[2] * k[5 * kPack];
    all += w;
    others += cosine < none + kCosine ? w : none;
    T gap = (limit + radius) - (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]);
    simd::greatest<T>(gap, none, gap);
    simd::greatest<T>(1.0 + e * (1 / TwoStage::kEnd), none, y);
    simd::greatest<T>(1.0 - cosine * cosine, none, sine);
    simd::square_root<T>(sine, sine);
    const T turned = 0.5 * (1.0 + kOthers) + (0.5 * (1 - kOthers)) * (kCosine * cosine + kSine * sine);
    const T v = cosine < none + kCosine ? turned : none + 1.0;
    const T y2 = y * y, y4 = y2 * y2, v2 = v * v;
    pull += gap * (y4 * y4) * (v2 * v2 * v2 * v);
  }
  if (!(simd::sum(others) <= S(kOthers))) return false;
  const S y = 1 - log(simd::sum(all)) / S(TwoStage::kEnd), v = S(0.5 * (1 - kOthers) * (1 + kCosine));
  if (!(y > S(0))) return false;
  const S y2 = y * y, y4 = y2 * y2, v2 = v * v;
  return simd::sum(pull) <= y4 * y4 * (v2 * v2 * v2 * v) * (height - radius - limit);
}

}  // namespace internal
}  // namespace abut::ssdf
