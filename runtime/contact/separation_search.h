#pragma once

#include <limits>

#include "runtime/contact/plane_force.h"

// The walk over one body's points that finds those whose soft distance from the other body is small, and what
// is evaluated at them. Whole clusters are passed over by a lower bound.
namespace abut::contact::internal {

using asset::kBlockNumbers;
using asset::kBlockPoints;
using asset::kNodeChildren;
using asset::PointBlocksView;
using ssdf::internal::Frame;
using ssdf::internal::Nearby;
using ssdf::internal::Walk;

// The owner of the planes, and the other body's points in its frame.
template <class S>
struct Side {
  const PointBlocksView* field;
  const PointBlocksView* points;
  std::int32_t field_count, points_count;
  Pose<S> X_FP;
  S eps1;
  S reach;  // no two points of the pair are farther apart, m

  // Place of point i of a block, and of anything given in the points' frame.
  Vec3<S> place(const double* numbers, int i) const {
    return X_FP * Vec3<S>(S(numbers[i]), S(numbers[kBlockPoints + i]), S(numbers[2 * kBlockPoints + i]));
  }
};

// Whether every point within `radius` of p has a soft distance above `level`, less exp(-cut) times the reach:
// all planes that can weigh more than that have g > level. With x the point nearest to p, plane i weighs at
// most exp(-(|p - p_i|^2 - |p - x|^2 - 2 radius |x - p_i|) / eps1) in the ball, and its g is at least that of
// the cone of normals at p, less the radius.
template <class T, class S>
ABUT_INLINE bool all_above(const Side<S>& side, const S* p, S radius, S level, S cut) {
  const PointBlocksView& blocks = *side.field;
  Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
  ssdf::internal::descend<T>(blocks, p, nearby);
  const S limit = (nearby.distance2 + side.eps1 * cut) * S(1 + 1e-14);
  Walk walk;
  walk.push(blocks.levels, 0);
  while (walk.size > 0) {
    const std::int32_t at = walk.level[--walk.size], entry = walk.entry[walk.size];
    const double* const node = ssdf::internal::node_at(blocks, at, entry);
    S distances2[kNodeChildren], far[kNodeChildren], heights[kNodeChildren];
    ssdf::internal::box_distances<T>(node, p, distances2);
    for (int c = 0; c < kNodeChildren; c += simd::kLanes<T>) {
      T length2{}, along{}, far2{}, row, zero{};
      for (int k = 0; k < 3; ++k) {
        T center, axis;
        simd::load(node + kNodeChildren * (asset::kCenterRow + k) + c, center);
        simd::load(node + kNodeChildren * (asset::kAxisRow + k) + c, axis);
        const T v = p[k] - center, w = nearby.x[k] - center;
        length2 += v * v;
        far2 += w * w;
        along += v * axis;
      }
      T cosine, sine, length, across, farthest;
      simd::load(node + kNodeChildren * asset::kCosineRow + c, cosine);
      simd::load(node + kNodeChildren * asset::kSineRow + c, sine);
      simd::square_root(length2, length);
      simd::square_root(far2, farthest);
      across = length2 - along * along;
      simd::greatest(across, zero, across);
      simd::square_root(across, across);
      T lowest = along * cosine - across * sine;
      lowest = along >= -(length * cosine) ? lowest : -length;
      simd::load(node + kNodeChildren * asset::kOffsetRow + c, row);
      lowest -= row + radius;
      simd::load(node + kNodeChildren * asset::kRadiusRow + c, row);
      farthest += row;
      if constexpr (simd::kLanes<T> == 1) {
        far[c] = farthest;
        heights[c] = lowest;
      } else {
        for (int k = 0; k < simd::kLanes<T>; ++k) far[c + k] = farthest[k], heights[c + k] = lowest[k];
      }
    }
    for (int c = 0; c < kNodeChildren; ++c) {
      if (!(distances2[c] - 2 * radius * far[c] <= limit) || heights[c] > level) continue;
      if (at == 1) return false;
      walk.push(at - 1, kNodeChildren * entry + c);
    }
  }
  return true;
}

// Soft distance at p; `lowest` is below the g of every plane that was looked at.
template <class T, class S>
ABUT_INLINE void distance_at(const Side<S>& side, const S* p, S cut, S& value, S& lowest) {
  Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
  ssdf::internal::descend<T>(*side.field, p, nearby);
  for (;;) {
    const Frame<S> frame(p, nearby, 1 / side.eps1);
    const S limit2 = (nearby.distance2 + side.eps1 * cut) * S(1 + 1e-14);
    DistanceSums<T> sums;
    T least{}, heaviest{};
    ssdf::internal::visit_near<T, S>(*side.field, p, limit2, [&](std::int32_t block) ABUT_INLINE_LAMBDA {
      const double* const numbers = side.field->numbers + std::ptrdiff_t(block) * kBlockNumbers;
      for (int i = 0; i < kBlockPoints; i += simd::kLanes<T>) {
        Seen<T> seen;
        ssdf::internal::see(numbers, i, frame, seen);
        simd::greatest(seen.exponent, heaviest, heaviest);
        simd::least(seen.g, least, least);
        ssdf::internal::add<0>(seen, sums);
      }
    });
    S most(0), low(0);
    if constexpr (simd::kLanes<T> == 1) {
      most = heaviest, low = least;
    } else {
      for (int k = 0; k < simd::kLanes<T>; ++k) {
        most = heaviest[k] > most ? heaviest[k] : most;
        low = least[k] < low ? least[k] : low;
      }
    }
    if (most > S(200)) {  // see ssdf::internal::near_sums
      ssdf::internal::find_nearest<T>(*side.field, p, nearby);
      continue;
    }
    value = frame.g0 + simd::sum(sums.g) / simd::sum(sums.w);
    lowest = frame.g0 + low;
    return;
  }
}

// Sums of the force on a point at p with velocity v.
template <int kOrder, class T, class S>
ABUT_INLINE void force_sums(const Side<S>& side, const S* p, const S* v, S limit2, const Nearby<S>& nearby,
                            const SoftMinimumParameters<S>& with, ForceSums<S>& sums, S& heaviest_exponent) {
  const Frame<S> frame(p, nearby, 1 / side.eps1);
  const S alpha = 2 / side.eps1;
  ForceSums<T> lanes;
  T heaviest{};
  ssdf::internal::visit_near<T, S>(*side.field, p, limit2, [&](std::int32_t block) ABUT_INLINE_LAMBDA {
    const double* const numbers = side.field->numbers + std::ptrdiff_t(block) * kBlockNumbers;
    for (int i = 0; i < kBlockPoints; i += simd::kLanes<T>) {
      Seen<T> seen;
      ssdf::internal::see(numbers, i, frame, seen);
      simd::greatest(seen.exponent, heaviest, heaviest);
      add_plane<kOrder>(seen, frame.g0, alpha, v, with, lanes);
    }
  });
  heaviest_exponent = 0;
  if constexpr (simd::kLanes<T> == 1)
    heaviest_exponent = heaviest;
  else
    for (int k = 0; k < simd::kLanes<T>; ++k)
      if (heaviest[k] > heaviest_exponent) heaviest_exponent = heaviest[k];
  const T* const in = reinterpret_cast<const T*>(&lanes);
  S* const out = reinterpret_cast<S*>(&sums);
  static_assert(sizeof(lanes) / sizeof(T) == sizeof(sums) / sizeof(S));
  for (std::size_t k = 0; k < sizeof(lanes) / sizeof(T); ++k) out[k] = simd::sum(in[k]);
}

}  // namespace abut::contact::internal
