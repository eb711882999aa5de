#pragma once

#include <limits>

#include "runtime/contact/soft/exact_force.h"

// The traversal that finds the points of one body whose soft distance from the other body is small, and what
// is evaluated at them. Whole clusters are pruned by a lower bound.
namespace abut::contact::internal {

using asset::kBlockNumbers;
using asset::kBlockPoints;
using asset::kNodeChildren;
using asset::PointBlocksView;
using ssdf::internal::Frame;
using ssdf::internal::Nearby;
using ssdf::internal::Walk;

// The owner of the field (planes or a primitive), and the other body's points in the owner's frame.
template <class S>
struct Side {
  const PointBlocksView* field;
  const body::Primitive* exact;   // null: planes
  const PointBlocksView* points;  // null: left out
  std::int32_t field_count, points_count;
  Pose<S> X_FP;
  S eps1;
  S reach;         // upper bound of the distance of any two points of the pair, m
  S inverse_wall;  // see Frame

  // How much smaller than a Gaussian a weight may be, as a logarithm.
  S slack() const { return inverse_wall > S(0) ? S(ssdf::kWallWeight) : S(0); }

  // The position of point i of a block in the owner's frame.
  Vec3<S> place(const double* numbers, int i) const {
    return X_FP * Vec3<S>(S(numbers[i]), S(numbers[kBlockPoints + i]), S(numbers[2 * kBlockPoints + i]));
  }
};

// For each of a node's children: `excess`, the squared distance of its box from p, minus 2 radius times the
// greatest distance of the child's points from the nearest point x; `heights`, a lower bound of g in the ball
// around p.
template <class T, class S>
ABUT_INLINE void child_heights(const double* node, const S* p, const Nearby<S>& nearby, S radius, S* excess,
                               S* heights) {
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
    farthest = (farthest + row) * (2 * radius);
    if constexpr (simd::kLanes<T> == 1) {
      excess[c] -= farthest;
      heights[c] = lowest;
    } else {
      for (int k = 0; k < simd::kLanes<T>; ++k) excess[c + k] -= farthest[k], heights[c + k] = lowest[k];
    }
  }
}

// The same for the points of a block: squared distances minus 2 radius |x - p_i|, and g minus radius.
template <class T, class S>
ABUT_INLINE void point_heights(const double* numbers, const S* p, const Nearby<S>& nearby, S radius,
                               S* excess, S* heights) {
  for (int i = 0; i < kBlockPoints; i += simd::kLanes<T>) {
    T square{}, aside{}, height{}, x, n;
    for (int k = 0; k < 3; ++k) {
      simd::load(numbers + kBlockPoints * k + i, x);
      simd::load(numbers + kBlockPoints * (3 + k) + i, n);
      const T from = p[k] - x, other = nearby.x[k] - x;
      square += from * from;
      aside += other * other;
      height += n * from;
    }
    simd::square_root(aside, aside);
    square -= aside * (2 * radius);
    height -= radius;
    if constexpr (simd::kLanes<T> == 1) {
      excess[i] = square;
      heights[i] = height;
    } else {
      for (int k = 0; k < simd::kLanes<T>; ++k) excess[i + k] = square[k], heights[i + k] = height[k];
    }
  }
}

// The condition under which a cluster of points is pruned.
template <class S>
struct Bound {
  S level;  // every soft distance in the cluster is above this, m
  S press;  // and the weighted depths under planes below the level sum to at most this, m
  S cut;    // planes with weights below e^-cut are ignored
};

// Returns true if all points within `radius` of p satisfy a bound. With x the point nearest to p and its
// weight as the unit, plane i weighs at most exp(-(|p - p_i|^2 - |p - x|^2 - 2 radius |x - p_i|) / eps1)
// anywhere in the ball (times exp(slack) with the wall kernel), and its g is at least that of its node's cone
// of normals at p, minus the radius. The soft distance is above the level if the plane at x is so far above
// it that all planes below it together cannot pull the mean down to it.
template <class T, class S>
ABUT_INLINE bool all_above(const Side<S>& side, const S* p, S radius, const Bound<S>& bound) {
  using std::exp;
  const PointBlocksView& blocks = *side.field;
  Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
  ssdf::internal::descend<T>(blocks, p, nearby);
  ssdf::internal::find_nearest<T>(blocks, p, nearby);
  S room = -radius - bound.level, press = bound.press;
  for (int k = 0; k < 3; ++k) room += nearby.n[k] * (p[k] - nearby.x[k]);
  if (!(room > S(0))) return false;
  const S slack = side.slack(), limit = (nearby.distance2 + side.eps1 * (bound.cut + slack)) * S(1 + 1e-14);
  Walk walk;
  walk.push(blocks.levels, 0);
  for (std::int32_t at, entry; walk.pop(at, entry);) {
    const double* const node = ssdf::internal::node_at(blocks, at, entry);
    S excess[kNodeChildren], heights[kNodeChildren];
    ssdf::internal::box_distances<T>(node, p, excess);
    child_heights<T>(node, p, nearby, radius, excess, heights);
    for (int c = 0; c < kNodeChildren; ++c) {
      if (!(excess[c] <= limit) || heights[c] > bound.level) continue;
      if (at > 1) {
        walk.push(at - 1, kNodeChildren * entry + c);
        continue;
      }
      const std::ptrdiff_t block = kNodeChildren * entry + c;
      S around[kBlockPoints], g[kBlockPoints];
      point_heights<T>(blocks.numbers + block * kBlockNumbers, p, nearby, radius, around, g);
      for (int i = 0; i < kBlockPoints; ++i) {
        if (!(around[i] <= limit) || g[i] > bound.level) continue;
        const S weight = exp((nearby.distance2 - around[i]) / side.eps1 + slack);
        room -= weight * (bound.level - g[i]);
        if (g[i] < S(0)) press += weight * g[i];
        if (!(room > S(0)) || !(press >= S(0))) return false;
      }
    }
  }
  return true;
}

// Calls add(seen) for the planes of a block as seen from a frame; `heaviest`: the largest exponent so far.
template <class T, class S, class Add>
ABUT_INLINE void see_block(const Side<S>& side, std::int32_t block, const Frame<S>& frame, T& heaviest,
                           Add&& add) {
  const double* const numbers = side.field->numbers + std::ptrdiff_t(block) * kBlockNumbers;
  for (int i = 0; i < kBlockPoints; i += simd::kLanes<T>) {
    Seen<T> seen;
    ssdf::internal::see(numbers, i, frame, seen);
    simd::greatest(seen.exponent, heaviest, heaviest);
    add(seen);
  }
}

// The soft distance of a point and how hard planes may press on it.
template <class S>
struct Depth {
  S value;   // soft distance, m
  S lowest;  // least g of the planes considered, m
  S press;   // weighted mean of max(-g, 0), m
};

template <class S>
Depth<S> depth_at(const body::Primitive& primitive, const Vec3<S>& p) {
  const S value = body::primitive_value<S>(primitive, p);
  return {value, value, std::max(-value, S(0))};
}

template <class T, class S>
ABUT_INLINE void depth_at(const Side<S>& side, const S* p, S cut, Depth<S>& depth) {
  Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
  ssdf::internal::descend<T>(*side.field, p, nearby);
  for (const bool nearest : {false, true}) {  // see ssdf::internal::near_sums
    const Frame<S> frame(p, nearby, 1 / side.eps1, side.inverse_wall);
    const S limit2 = (nearby.distance2 + side.eps1 * (cut + side.slack())) * S(1 + 1e-14);
    DistanceSums<T> sums;
    T least{}, heaviest{}, press{}, zero{};
    ssdf::internal::visit_near<T, S>(*side.field, p, limit2, [&](std::int32_t block) ABUT_INLINE_LAMBDA {
      see_block(side, block, frame, heaviest, [&](const Seen<T>& seen) ABUT_INLINE_LAMBDA {
        simd::least(seen.g, least, least);
        ssdf::internal::add<0>(seen, sums);
        T below;
        simd::greatest<T>(-(seen.g + frame.g0), zero, below);
        press += seen.weight * below;
      });
    });
    if (nearest || !(simd::greatest_lane(heaviest) > S(ssdf::internal::kTooHeavy))) {
      const S weight = simd::sum(sums.w), low = simd::least_lane(least);
      depth = {frame.g0 + simd::sum(sums.g) / weight, frame.g0 + low, simd::sum(press) / weight};
      return;
    }
    ssdf::internal::find_nearest<T>(*side.field, p, nearby);
  }
}

// Which planes a force is summed over: those within `near2`, and farther ones as long as they may press:
// those with log c - (|p - p_i|^2 - |p - x|^2) / eps1 >= floor, where c(g) is their spring.
template <class S>
struct Reach {
  S near2, far2;  // m^2
  S floor;        // logarithm of a force in N
};

// An upper bound of the logarithm of the spring's force: uses log(1 + t) <= t for g > 0, and x + log 2
// otherwise.
template <class S>
S log_spring_most(S g, const SoftMinimumParameters<S>& with) {
  using std::log;
  return g > S(0) ? log(with.stiffness * with.eps3) - g / with.eps3 : log(with.stiffness * (with.eps3 - g));
}

// Calls visit(block) for the blocks within reach.
template <class T, class S, class Visit>
ABUT_INLINE void visit_pressing(const Side<S>& side, const S* p, const Reach<S>& reach,
                                const Nearby<S>& nearby, const SoftMinimumParameters<S>& with,
                                Visit&& visit) {
  Walk walk;
  walk.push(side.field->levels, 0);
  for (std::int32_t level, entry; walk.pop(level, entry);) {
    const double* const node = ssdf::internal::node_at(*side.field, level, entry);
    S distances2[kNodeChildren], heights[kNodeChildren];
    ssdf::internal::box_distances<T>(node, p, distances2);
    child_heights<T>(node, p, nearby, S(0), distances2, heights);
    for (int c = 0; c < kNodeChildren; ++c) {
      if (!(distances2[c] <= reach.far2)) continue;
      if (distances2[c] > reach.near2 &&
          log_spring_most(heights[c], with) < reach.floor + (distances2[c] - nearby.distance2) / side.eps1)
        continue;
      if (level > 1)
        walk.push(level - 1, kNodeChildren * entry + c);
      else
        visit(kNodeChildren * entry + c);
    }
  }
}

// Computes the sums of the force on a point at p with velocity v.
template <int kOrder, class T, class S>
ABUT_INLINE void force_sums(const Side<S>& side, const S* p, const S* v, const Reach<S>& reach,
                            const Nearby<S>& nearby, const SoftMinimumParameters<S>& with, ForceSums<S>& sums,
                            S& heaviest_exponent) {
  const Frame<S> frame(p, nearby, 1 / side.eps1, side.inverse_wall);
  const S alpha = 2 / side.eps1;
  ForceSums<T> lanes;
  T heaviest{};
  const auto add = [&](std::int32_t block) ABUT_INLINE_LAMBDA {
    see_block(side, block, frame, heaviest, [&](const Seen<T>& seen) ABUT_INLINE_LAMBDA {
      add_plane<kOrder>(seen, frame.g0, alpha, v, with, lanes);
      if constexpr (kOrder > 1)
        if (frame.inverse_wall > S(0)) ssdf::internal::add_bend(seen, lanes.distance);
    });
  };
  visit_pressing<T>(side, p, reach, nearby, with, add);
  heaviest_exponent = simd::greatest_lane(heaviest);
  const T* const in = reinterpret_cast<const T*>(&lanes);
  S* const out = reinterpret_cast<S*>(&sums);
  static_assert(sizeof(lanes) / sizeof(T) == sizeof(sums) / sizeof(S));
  for (std::size_t k = 0; k < sizeof(lanes) / sizeof(T); ++k) out[k] = simd::sum(in[k]);
}

}  // namespace abut::contact::internal
