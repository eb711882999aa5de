#pragma once

#include "runtime/ssdf/block_sums.h"

// Eight neighbouring queries at once: one walk over the tree for all of them, then each point that any of
// them needs is taken by all, a query to a lane.
namespace abut::ssdf::internal {

using simd::Eight;
using simd::EightBits;

inline constexpr int kPacket = 8;

// The queries, and what holds for all of them.
struct Packet {
  double p[3][kPacket];       // m
  double center[3], half[3];  // of the box about them, m
  double radius;              // of the ball about the box, m
};

// Points that a packet needs: places in PointBlocksView::numbers. A packet that needs more is not worth it.
struct Candidates {
  static constexpr int kMost = 512;
  std::int32_t place[kMost + kBlockPoints];
  int count = 0;
  bool complete = true;
};

// The nearest point of each query: offset of the query from it, its height over that point's plane, and the
// squared distance.
struct NearestOfEight {
  Eight x[3], n[3], distance2;
};

// Squared distance from a box to `Eight` boxes or points: centre distance less half sizes.
template <class T>
ABUT_INLINE void gap2(const double* center, const double* half, const T* at, const T* reach, T& out) {
  const T zero{};
  out = zero;
  for (int k = 0; k < 3; ++k) {
    T d = at[k] - center[k];
    simd::greatest<T>(d, -d, d);
    d -= reach[k] + half[k];
    simd::greatest<T>(d, zero, d);
    out += d * d;
  }
}

// All points within `limit2` of the packet's box, in the order of the walk.
ABUT_INLINE void gather(const PointBlocksView& blocks, const Packet& packet, double limit2, Candidates& out) {
  using simd::Four;
  Walk walk;
  walk.push(blocks.levels, 0);
  while (walk.size > 0) {
    const std::int32_t level = walk.level[--walk.size], entry = walk.entry[walk.size];
    const double* const node = node_at(blocks, level, entry);
    Four at[3], reach[3], far2;
    for (int k = 0; k < 3; ++k) {
      simd::load(node + kNodeChildren * (asset::kCenterRow + k), at[k]);
      simd::load(node + kNodeChildren * (asset::kHalfRow + k), reach[k]);
    }
    gap2<Four>(packet.center, packet.half, at, reach, far2);
    for (int c = 0; c < kNodeChildren; ++c) {
      if (!(far2[c] <= limit2)) continue;
      const std::int32_t child = kNodeChildren * entry + c;
      if (level > 1) {
        walk.push(level - 1, child);
        continue;
      }
      if (out.count > Candidates::kMost) {
        out.complete = false;
        return;
      }
      const double* const numbers = blocks.numbers + std::ptrdiff_t(child) * kBlockNumbers;
      Eight x[3], none[3] = {}, far;
      for (int k = 0; k < 3; ++k) simd::load(numbers + kBlockPoints * k, x[k]);
      gap2<Eight>(packet.center, packet.half, x, none, far);
      for (int i = 0; i < kBlockPoints; ++i) {
        out.place[out.count] = child * kBlockNumbers + i;
        out.count += far[i] <= limit2 ? 1 : 0;
      }
    }
  }
}

// Squared distance of point `place` from each query.
ABUT_INLINE void distances2(const double* numbers, std::int32_t place, const Eight* p, Eight& out) {
  const double* const from = numbers + place;
  const Eight dx = p[0] - from[0], dy = p[1] - from[kBlockPoints], dz = p[2] - from[2 * kBlockPoints];
  out = dx * dx + dy * dy + dz * dz;
}

// The nearest of some points to each query.
ABUT_INLINE void find_nearest_of_eight(const double* numbers, const Packet& packet,
                                       const Candidates& candidates, NearestOfEight& out) {
  Eight p[3], nearest = Eight{} + 1e300, place{};
  for (int k = 0; k < 3; ++k) simd::load(packet.p[k], p[k]);
  for (int c = 0; c < candidates.count; ++c) {
    Eight d2;
    distances2(numbers, candidates.place[c], p, d2);
    const EightBits nearer = d2 < nearest;
    nearest = nearer ? d2 : nearest;
    place = nearer ? Eight{} + static_cast<double>(candidates.place[c]) : place;
  }
  out.distance2 = nearest;
  for (int lane = 0; lane < kPacket; ++lane) {
    const double* const from = numbers + static_cast<std::int32_t>(place[lane]);
    for (int k = 0; k < 3; ++k) {
      out.x[k][lane] = from[kBlockPoints * k];
      out.n[k][lane] = from[kBlockPoints * (3 + k)];
    }
  }
}

// Keeps the candidates that any query needs.
ABUT_INLINE void keep_needed(const double* numbers, const Packet& packet, const Eight& limit2,
                             Candidates& candidates) {
  Eight p[3];
  for (int k = 0; k < 3; ++k) simd::load(packet.p[k], p[k]);
  int count = 0;
  for (int c = 0; c < candidates.count; ++c) {
    const std::int32_t place = candidates.place[c];
    Eight d2;
    distances2(numbers, place, p, d2);
    candidates.place[count] = place;
    count += simd::any(d2 <= limit2) ? 1 : 0;
  }
  candidates.count = count;
}

// exp(x) by a polynomial of degree 7 (error 6e-9 of it); 0 below `lowest` > -700.
ABUT_INLINE void rough_exponential(const Eight& x, const Eight& lowest, Eight& to) {
  const EightBits kept = x > lowest;
  const Eight k_rounded = (kept ? x : lowest) * 1.4426950408889634074 + simd::kRound;
  const Eight r = (kept ? x : lowest) - (k_rounded - simd::kRound) * 0.69314718055994530942;
  const Eight r2 = r * r, r4 = r2 * r2;
  const Eight p = ((1.0 + r) + r2 * (0.5 + r * (1.0 / 6))) +
                  r4 * ((1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040)));
  const EightBits bits =
      (reinterpret_cast<EightBits>(p) + (reinterpret_cast<EightBits>(k_rounded) << 52)) & kept;
  to = reinterpret_cast<Eight>(bits);
}

// Value and derivatives of each query: out[0] value, 1 ... 3 gradient, 4 ... 9 Hessian (xx, xy, xz, yy, yz,
// zz). From the sums over the candidates that are no farther than its cutoff; weights beside that of its
// nearest point, offsets and heights from it too. Formulas: from_sums in field.h.
template <int kOrder>
ABUT_INLINE void packet_distances(const double* numbers, const Packet& packet, const Candidates& candidates,
                                  const NearestOfEight& nearest, const Eight& cutoff, double eps1,
                                  Eight* out) {
  Eight q[3], twice[3], g0{};
  for (int k = 0; k < 3; ++k) {
    simd::load(packet.p[k], q[k]);
    q[k] -= nearest.x[k];
    twice[k] = q[k] + q[k];
    g0 += nearest.n[k] * q[k];
  }
  const Eight lowest = -cutoff;
  const double inverse_eps1 = 1 / eps1, alpha = 2 / eps1;
  DistanceSums<Eight> sums;
  for (int c = 0; c < candidates.count; ++c) {
    const double* const from = numbers + candidates.place[c];
    Seen<Eight> seen;
    Eight exponent{}, height{};
    for (int k = 0; k < 3; ++k) {
      seen.u[k] = from[kBlockPoints * k] - nearest.x[k];
      seen.n[k] = Eight{} + from[kBlockPoints * (3 + k)];
      exponent += seen.u[k] * (twice[k] - seen.u[k]);
      height += seen.n[k] * (q[k] - seen.u[k]);
    }
    seen.g = height - g0;
    rough_exponential(exponent * inverse_eps1, lowest, seen.weight);
    add<kOrder>(seen, sums);
  }
  const Eight over = 1.0 / sums.w, value = sums.g * over;
  out[0] = g0 + value;
  if constexpr (kOrder > 0) {
    Eight u[3], n[3], gu[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = sums.u[k] * over;
      n[k] = sums.n[k] * over;
      gu[k] = sums.gu[k] * over;
      out[1 + k] = n[k] + alpha * (gu[k] - value * u[k]);
    }
    if constexpr (kOrder > 1)
      for (int k = 0, m = 0; k < 3; ++k)
        for (int l = k; l < 3; ++l, ++m)
          out[4 + m] =
              alpha * ((sums.un[3 * k + l] + sums.un[3 * l + k]) * over - u[k] * n[l] - u[l] * n[k]) +
              alpha * alpha *
                  ((sums.guu[m] - value * sums.uu[m]) * over - gu[k] * u[l] - gu[l] * u[k] +
                   2.0 * value * u[k] * u[l]);
  }
}

}  // namespace abut::ssdf::internal
