#pragma once

#include <numbers>

#include "runtime/ssdf/block_sums.h"

// Eight neighbouring queries at once: one traversal of the tree for all of them, then each point that any of
// them needs is processed for all, one query per lane.
namespace abut::ssdf::internal {

using simd::Eight;
using simd::EightBits;

inline constexpr int kPacket = 8;
inline constexpr double kMaxBits = 1000;  // of a weight's exponent

// The queries, and bounds that hold for all of them.
struct Packet {
  double p[3][kPacket];       // m
  double center[3], half[3];  // of their bounding box, m
  double radius;              // of the ball about that box, m
};

// Points that a packet needs, as indices into PointBlocksView::numbers. Packets that need more than kMax are
// not worth it.
struct Candidates {
  static constexpr int kMax = 512;
  std::int32_t place[kMax + kBlockPoints];
  int count = 0;
  bool complete = true;
};

// Squared distance from a box to as many boxes or points as T has lanes: centre distance minus half sizes.
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

struct NearBlocks {
  static constexpr int kMax = 160;
  std::int32_t entry[kMax + kNodeChildren];
  int count = 0;
};

// Finds the blocks whose box comes within `limit2` of the packet's, without a branch that depends on the
// distances. Returns false if there are more than kMax.
ABUT_INLINE bool find_blocks(const PointBlocksView& blocks, const Packet& packet, double limit2,
                             NearBlocks& out) {
  using simd::Four;
  Walk walk;
  walk.push(blocks.levels, 0);
  while (walk.size > 0 && out.count <= NearBlocks::kMax) {
    const std::int32_t level = walk.level[--walk.size], entry = walk.entry[walk.size];
    const double* const node = node_at(blocks, level, entry);
    Four at[3], reach[3], far2;
    for (int k = 0; k < 3; ++k) {
      simd::load(node + kNodeChildren * (asset::kCenterRow + k), at[k]);
      simd::load(node + kNodeChildren * (asset::kHalfRow + k), reach[k]);
    }
    gap2<Four>(packet.center, packet.half, at, reach, far2);
    if (level > 1) {
      for (int c = 0; c < kNodeChildren; ++c) {
        walk.level[walk.size] = level - 1;
        walk.entry[walk.size] = kNodeChildren * entry + c;
        walk.size += far2[c] <= limit2 ? 1 : 0;
      }
    } else {
      for (int c = 0; c < kNodeChildren; ++c) {
        out.entry[out.count] = kNodeChildren * entry + c;
        out.count += far2[c] <= limit2 ? 1 : 0;
      }
    }
  }
  return out.count <= NearBlocks::kMax;
}

// Gathers all points within `limit2` of the packet's box, in traversal order.
ABUT_INLINE void gather(const PointBlocksView& blocks, const Packet& packet, double limit2, Candidates& out) {
  NearBlocks near;
  out.complete = find_blocks(blocks, packet, limit2, near);
  if (!out.complete) return;
  for (int b = 0; b < near.count; ++b) {
    const std::int32_t first = near.entry[b] * kBlockNumbers;
    Eight x[3], none[3] = {}, far;
    for (int k = 0; k < 3; ++k) simd::load(blocks.numbers + first + kBlockPoints * k, x[k]);
    gap2<Eight>(packet.center, packet.half, x, none, far);
    for (int i = 0; i < kBlockPoints; ++i) {
      out.place[out.count] = first + i;
      out.count += far[i] <= limit2 ? 1 : 0;
    }
    if (out.count > Candidates::kMax) {
      out.complete = false;
      return;
    }
  }
}

// Offsets of the queries from a point, and their squared lengths.
ABUT_INLINE void see_from_point(const double* point, const Eight* p, Eight* u, Eight& distance2) {
  for (int k = 0; k < 3; ++k) u[k] = p[k] - point[kBlockPoints * k];
  distance2 = u[0] * u[0] + (u[1] * u[1] + u[2] * u[2]);
}

// Squared distance of each query from the nearest candidate.
ABUT_INLINE void find_nearest(const double* numbers, const Packet& packet, const Candidates& candidates,
                              Eight& nearest2) {
  Eight p[3], u[3], distance2;
  for (int k = 0; k < 3; ++k) simd::load(packet.p[k], p[k]);
  nearest2 = Eight{} + 1e300;
  for (int c = 0; c < candidates.count; ++c) {
    see_from_point(numbers + candidates.place[c], p, u, distance2);
    simd::least<Eight>(distance2, nearest2, nearest2);
  }
}

// 2^x, |x| <= kMaxBits, by the polynomial that interpolates it at the seven Chebyshev nodes in [-1/2, 1/2]
// (relative error 3e-9).
ABUT_INLINE void rough_power(const Eight& x, Eight& to) {
  const Eight k_rounded = x + simd::kRound, r = x - (k_rounded - simd::kRound), r2 = r * r, r4 = r2 * r2;
  const Eight p = ((1.0 + r * 0.6931472067028326) + r2 * (0.24022650922288757 + r * 0.05550327226670302)) +
                  r4 * ((0.009618056678524637 + r * 0.0013400428177615838) + r2 * 0.0001546144469856913);
  to = reinterpret_cast<Eight>(reinterpret_cast<EightBits>(p) +
                               (reinterpret_cast<EightBits>(k_rounded) << 52));
}

// Sums over points of the weight times 1; g; u; n; g u; u n' + n u' (xx, xy, xz, yy, yz, zz); u u'; g u u',
// where u is the offset of the query from the point and g = n . u.
struct PacketSums {
  Eight w{}, g{}, u[3]{}, n[3]{}, gu[3]{}, un[6]{}, uu[6]{}, guu[6]{};
};

// Sums over the candidates, for each query. Weights are relative to that of a point at squared distance
// `reference2`: that of the nearest point, or a value up to eps1 kMaxBits ln 2, so that no weight overflows.
template <int kOrder>
ABUT_INLINE void packet_sums(const double* numbers, const Packet& packet, const Candidates& candidates,
                             const Eight& reference2, double eps1, PacketSums& sums) {
  Eight p[3];
  for (int k = 0; k < 3; ++k) simd::load(packet.p[k], p[k]);
  const double bits = 1 / (eps1 * std::numbers::ln2);
  const Eight start = reference2 * bits, lowest = Eight{} - kMaxBits;
  for (int c = 0; c < candidates.count; ++c) {
    const double *const point = numbers + candidates.place[c], *const n = point + 3 * kBlockPoints;
    Eight u[3], power, w;
    see_from_point(point, p, u, power);
    simd::greatest<Eight>(start - power * bits, lowest, power);
    rough_power(power, w);
    const Eight g = u[0] * n[0] + (u[1] * n[kBlockPoints] + u[2] * n[2 * kBlockPoints]), wg = w * g;
    sums.w += w;
    sums.g += wg;
    if constexpr (kOrder == 1)
      for (int k = 0; k < 3; ++k) {
        sums.u[k] += w * u[k];
        sums.n[k] += w * n[kBlockPoints * k];
        sums.gu[k] += wg * u[k];
      }
    if constexpr (kOrder == 2) {
      Eight wu[3], wgu[3];
      for (int k = 0; k < 3; ++k) {
        sums.u[k] += wu[k] = w * u[k];
        sums.n[k] += w * n[kBlockPoints * k];
        sums.gu[k] += wgu[k] = wg * u[k];
      }
      for (int k = 0, m = 0; k < 3; ++k)
        for (int l = k; l < 3; ++l, ++m) {
          sums.un[m] += wu[k] * n[kBlockPoints * l];
          sums.un[m] += wu[l] * n[kBlockPoints * k];
          sums.uu[m] += wu[k] * u[l];
          sums.guu[m] += wgu[k] * u[l];
        }
    }
  }
}

// Value and derivatives of each query: out[0] value, 1 ... 3 gradient, 4 ... 9 Hessian (xx, xy, xz, yy, yz,
// zz). Formulas: `from_sums` in field.h, with -u for u.
template <int kOrder>
ABUT_INLINE void packet_distances(const PacketSums& sums, double eps1, Eight* out) {
  const double alpha = 2 / eps1;
  const Eight over = 1.0 / sums.w, value = sums.g * over;
  out[0] = value;
  if constexpr (kOrder > 0) {
    Eight u[3], n[3], gu[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = sums.u[k] * over;
      n[k] = sums.n[k] * over;
      gu[k] = sums.gu[k] * over;
      out[1 + k] = n[k] - alpha * (gu[k] - value * u[k]);
    }
    if constexpr (kOrder > 1)
      for (int k = 0, m = 0; k < 3; ++k)
        for (int l = k; l < 3; ++l, ++m)
          out[4 + m] = alpha * (u[k] * n[l] + u[l] * n[k] - sums.un[m] * over) +
                       alpha * alpha *
                           ((sums.guu[m] - value * sums.uu[m]) * over - gu[k] * u[l] - gu[l] * u[k] +
                            2.0 * value * u[k] * u[l]);
  }
}

}  // namespace abut::ssdf::internal
