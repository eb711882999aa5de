#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "runtime/asset/point_blocks.h"
#include "runtime/core/simd.h"

// Traversal of a tree of point blocks, and the moments of a soft distance over the blocks visited. Templates
// on the lane type T (simd.h) and its scalar S; the sums depend only on their arguments.
namespace abut::ssdf {

// Constants of the kernel of walls, see kernel.h.
inline constexpr double kWallWeight = 2;
inline constexpr double kWallDepth = 0.35;  // in spacings

}  // namespace abut::ssdf

namespace abut::ssdf::internal {

using asset::kBlockNumbers;
using asset::kBlockPoints;
using asset::kNodeChildren;
using asset::kNodeNumbers;
using asset::PointBlocksView;

template <class T>
using ScalarOf = std::conditional_t<simd::kLanes<T> == 1, T, double>;

// Squared distances from p to the boxes of a node's children.
template <class T, class S = ScalarOf<T>>
ABUT_INLINE void box_distances(const double* node, const S* p, S* distances2) {
  for (int c = 0; c < kNodeChildren; c += simd::kLanes<T>) {
    T sum{};
    for (int k = 0; k < 3; ++k) {
      T center, half, d, zero{};
      simd::load(node + kNodeChildren * (asset::kCenterRow + k) + c, center);
      simd::load(node + kNodeChildren * (asset::kHalfRow + k) + c, half);
      d = p[k] - center;
      simd::greatest<T>(d, -d, d);
      d -= half;
      simd::greatest<T>(d, zero, d);
      sum += d * d;
    }
    if constexpr (simd::kLanes<T> == 1)
      distances2[c] = sum;
    else
      for (int k = 0; k < simd::kLanes<T>; ++k) distances2[c + k] = sum[k];
  }
}

// Stack of the tree entries that a traversal has yet to visit: three at each level above the current one.
struct Walk {
  std::int32_t level[3 * asset::kMaxBlockLevels + 4], entry[3 * asset::kMaxBlockLevels + 4];
  int size = 0;

  ABUT_INLINE void push(std::int32_t l, std::int32_t j) {
    level[size] = l;
    entry[size++] = j;
  }
  // Pops the last entry; returns false if none is left.
  ABUT_INLINE bool pop(std::int32_t& l, std::int32_t& j) {
    if (size == 0) return false;
    l = level[--size];
    j = entry[size];
    return true;
  }
};

ABUT_INLINE const double* node_at(const PointBlocksView& blocks, std::int32_t level, std::int32_t entry) {
  return blocks.nodes + std::ptrdiff_t(blocks.first_node[level] + entry) * kNodeNumbers;
}

// Calls visit(block) for every block whose box comes within `limit2` (squared, m^2) of p. `visit` may lower
// the limit.
template <class T, class S, class Visit>
ABUT_INLINE void visit_near(const PointBlocksView& blocks, const S* p, const S& limit2, Visit&& visit) {
  Walk walk;
  walk.push(blocks.levels, 0);
  for (std::int32_t level, entry; walk.pop(level, entry);) {
    S distances2[kNodeChildren];
    box_distances<T>(node_at(blocks, level, entry), p, distances2);
    for (int c = 0; c < kNodeChildren; ++c) {
      if (!(distances2[c] <= limit2)) continue;
      if (level > 1)
        walk.push(level - 1, kNodeChildren * entry + c);
      else
        visit(kNodeChildren * entry + c);
    }
  }
}

// A point of the cloud near p, which serves as the reference for all other quantities.
template <class S>
struct Nearby {
  S x[3];       // m
  S n[3];       // unit
  S distance2;  // squared, to p, m^2
};

// Replaces `nearby` by the nearest point of a block if that is nearer.
template <class S>
ABUT_INLINE void take_nearer(const double* numbers, const S* p, Nearby<S>& nearby) {
  int nearest = -1;
  for (int i = 0; i < kBlockPoints; ++i) {
    const S dx = p[0] - S(numbers[i]), dy = p[1] - S(numbers[kBlockPoints + i]),
            dz = p[2] - S(numbers[2 * kBlockPoints + i]), d2 = dx * dx + dy * dy + dz * dz;
    if (!(d2 < nearby.distance2)) continue;
    nearby.distance2 = d2;
    nearest = i;
  }
  if (nearest < 0) return;
  for (int k = 0; k < 3; ++k) {
    nearby.x[k] = S(numbers[kBlockPoints * k + nearest]);
    nearby.n[k] = S(numbers[kBlockPoints * (3 + k) + nearest]);
  }
}

// Descends to the block whose box is nearest at each level: often the block of the nearest point, and never
// much farther.
template <class T, class S>
ABUT_INLINE std::int32_t nearest_block(const PointBlocksView& blocks, const S* p) {
  std::int32_t entry = 0;
  for (std::int32_t level = blocks.levels; level > 0; --level) {
    S distances2[kNodeChildren];
    box_distances<T>(node_at(blocks, level, entry), p, distances2);
    int least = 0;
    for (int c = 1; c < kNodeChildren; ++c)
      if (distances2[c] < distances2[least]) least = c;
    entry = kNodeChildren * entry + least;
  }
  return entry;
}

// Takes the nearest point of that block. If p is as far away as the placeholders of absent points, takes any
// point of the block, with the greatest representable squared distance.
template <class T, class S>
ABUT_INLINE void descend(const PointBlocksView& blocks, const S* p, Nearby<S>& nearby) {
  const double* const numbers = blocks.numbers + std::ptrdiff_t(nearest_block<T>(blocks, p)) * kBlockNumbers;
  bool far = false;
  for (int k = 0; k < 3; ++k) far |= !(p[k] < S(asset::kAway / 4) && p[k] > S(-asset::kAway / 4));
  if (!far) return take_nearer(numbers, p, nearby);
  nearby.distance2 = std::numeric_limits<S>::max();
  for (int k = 0; k < 3; ++k) {
    nearby.x[k] = S(numbers[kBlockPoints * k]);
    nearby.n[k] = S(numbers[kBlockPoints * (3 + k)]);
  }
}

// Finds the nearest point, starting from one that is near.
template <class T, class S>
ABUT_INLINE void find_nearest(const PointBlocksView& blocks, const S* p, Nearby<S>& nearby) {
  visit_near<T, S>(blocks, p, nearby.distance2, [&](std::int32_t block) ABUT_INLINE_LAMBDA {
    take_nearer(blocks.numbers + std::ptrdiff_t(block) * kBlockNumbers, p, nearby);
  });
}

// Exponent, relative to that of the reference point, beyond which a weight might overflow.
inline constexpr int kTooHeavy = 200;

// kLanes<T> points of a block as seen from p: offset u from the reference point x0, normal n, g = n . (p -
// p_i) minus that of the reference point, and weight
//   exp((|p - x0|^2 - |p - p_i|^2) / eps1).
//
// With the kernel of walls (kernel.h) the weight is multiplied by exp(-psi(g)), and u is moved along n so
// that (2 / eps1) u is still the gradient of its logarithm (except for a term that all planes share).
// bend n n' (2 / eps1)^2 is the excess of its second derivative over the square of the gradient; bend is 0
// for the Gaussian.
template <class T>
struct Seen {
  T u[3], n[3], exponent, weight, g, bend;
};

template <class S>
struct Frame {
  S x0[3];         // reference point, m
  S q[3];          // p - x0, m
  S g0;            // n0 . q, m
  S inverse_eps1;  // 1/m^2
  S inverse_wall;  // 1 / depth of the kernel of walls, 1/m; 0: Gaussian

  ABUT_INLINE Frame(const S* p, const Nearby<S>& nearby, S inverse, S inverse_depth = S(0))
      : g0(0), inverse_eps1(inverse), inverse_wall(inverse_depth) {
    for (int k = 0; k < 3; ++k) {
      x0[k] = nearby.x[k];
      q[k] = p[k] - x0[k];
      g0 += nearby.n[k] * q[k];
    }
  }
};

// Turns the Gaussian into the kernel of walls: wall_penalty of kernel.h, for each lane.
template <class T, class S>
ABUT_INLINE void look_behind(const Frame<S>& frame, Seen<T>& seen) {
  T s, zero{};
  simd::greatest<T>((seen.g + frame.g0) * -frame.inverse_wall, zero, s);
  const T cube = s * s * s, under = S(1) / (S(1) + cube);
  const S weight = S(kWallWeight), unit = frame.inverse_wall / (S(2) * frame.inverse_eps1);
  seen.exponent -= weight * cube * under;
  const T move = (S(3) * weight * unit) * s * s * under * under;
  for (int k = 0; k < 3; ++k) seen.u[k] += move * seen.n[k];
  seen.bend = (S(-6) * weight * unit * unit) * s * (S(1) - S(2) * cube) * under * under * under;
}

template <class T, class S>
ABUT_INLINE void see(const double* numbers, int i, const Frame<S>& frame, Seen<T>& seen) {
  T square{}, along{}, height{};
  for (int k = 0; k < 3; ++k) {
    simd::load(numbers + kBlockPoints * k + i, seen.u[k]);
    simd::load(numbers + kBlockPoints * (3 + k) + i, seen.n[k]);
    seen.u[k] -= frame.x0[k];
    square += seen.u[k] * seen.u[k];
    along += seen.u[k] * frame.q[k];
    height += seen.n[k] * (frame.q[k] - seen.u[k]);
  }
  seen.g = height - frame.g0;
  seen.exponent = (along + along - square) * frame.inverse_eps1;
  seen.bend = T{};
  if (frame.inverse_wall > S(0)) look_behind(frame, seen);
  simd::exponential(seen.exponent, seen.weight);
}

// Sums over points of the weight times 1; u; n; g; g u; u u' (xx, xy, xz, yy, yz, zz); u n' (row by row); g u
// u'.
template <class T>
struct DistanceSums {
  T w{}, u[3]{}, n[3]{}, g{}, gu[3]{}, uu[6]{}, un[9]{}, guu[6]{};
};

template <int kOrder, class T>
ABUT_INLINE void add(const Seen<T>& seen, DistanceSums<T>& sums) {
  const T& w = seen.weight;
  const T wg = w * seen.g;
  sums.w += w;
  sums.g += wg;
  if constexpr (kOrder > 0) {
    for (int k = 0; k < 3; ++k) {
      sums.u[k] += w * seen.u[k];
      sums.n[k] += w * seen.n[k];
      sums.gu[k] += wg * seen.u[k];
    }
  }
  if constexpr (kOrder > 1) {
    for (int k = 0, m = 0; k < 3; ++k) {
      const T wu = w * seen.u[k], wgu = wg * seen.u[k];
      for (int l = 0; l < 3; ++l) sums.un[3 * k + l] += wu * seen.n[l];
      for (int l = k; l < 3; ++l, ++m) {
        sums.uu[m] += wu * seen.u[l];
        sums.guu[m] += wgu * seen.u[l];
      }
    }
  }
}

// Adds the terms that only the kernel of walls has: see Seen.
template <class T>
ABUT_INLINE void add_bend(const Seen<T>& seen, DistanceSums<T>& sums) {
  const T w = seen.weight * seen.bend;
  for (int k = 0, m = 0; k < 3; ++k)
    for (int l = k; l < 3; ++l, ++m) {
      const T wnn = w * seen.n[k] * seen.n[l];
      sums.uu[m] += wnn;
      sums.guu[m] += seen.g * wnn;
    }
}

}  // namespace abut::ssdf::internal
