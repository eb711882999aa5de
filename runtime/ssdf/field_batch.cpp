#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/core/settings.h"
#include "runtime/ssdf/cutoffs.h"
#include "runtime/ssdf/hilbert_curve.h"
#include "runtime/ssdf/packet.h"

// Batches of soft distances: neighbours are computed in packets of eight.
namespace abut::ssdf {

namespace {

using internal::Candidates;
using internal::Cutoffs;
using internal::HilbertCurve;
using internal::kPacket;
using internal::Packet;
using simd::Eight;

// Below this tolerance neither the rough exponential of packets nor gathering is accurate enough.
constexpr double kRoughest = 1e-7;
// Squared distance over eps1 beyond which rounding of squared distances would change weights by 1e-9.
constexpr double kFarthest = 1e6;

// Squared distances from the nearest points of the block at which the descent to the packet's centre ends.
ABUT_CLONES_OF_EIGHT
void reference_by_eights(const asset::PointBlocksView& blocks, const Packet& packet, Eight& reference2) {
  Candidates block;
  const std::int32_t first =
      internal::nearest_block<simd::Four>(blocks, packet.center) * asset::kBlockNumbers;
  for (; block.count < asset::kBlockPoints; ++block.count) block.place[block.count] = first + block.count;
  internal::find_nearest(blocks.numbers, packet, block, reference2);
}

// Gathers all points within limit2 of the packet; if `far`, the nearest of them becomes the reference.
ABUT_CLONES_OF_EIGHT
void gather_by_eights(const asset::PointBlocksView& blocks, const Packet& packet, double limit2, bool far,
                      Candidates& candidates, Eight& reference2) {
  internal::gather(blocks, packet, limit2, candidates);
  if (far && candidates.complete) internal::find_nearest(blocks.numbers, packet, candidates, reference2);
}

template <int kOrder>
ABUT_INLINE void packet_results(const double* numbers, const Packet& packet, const Candidates& candidates,
                                const Eight& reference2, double eps1, Eight* out) {
  internal::PacketSums sums;
  internal::packet_sums<kOrder>(numbers, packet, candidates, reference2, eps1, sums);
  internal::packet_distances<kOrder>(sums, eps1, out);
}

ABUT_CLONES_OF_EIGHT
void results_by_eights(const double* numbers, const Packet& packet, const Candidates& candidates,
                       const Eight& reference2, double eps1, Order order, Eight* out) {
  if (order == Order::kValue)
    packet_results<0>(numbers, packet, candidates, reference2, eps1, out);
  else if (order == Order::kGradient)
    packet_results<1>(numbers, packet, candidates, reference2, eps1, out);
  else
    packet_results<2>(numbers, packet, candidates, reference2, eps1, out);
}

// Sorts indices so that neighbours are adjacent: by their position on Hilbert's curve through the bounding
// box.
class SpatialOrder {
 public:
  std::span<const std::uint32_t> sort(std::span<const Vec3<double>> p) {
    Vec3<double> low = Vec3<double>::Constant(1e300), high = -low;
    for (const Vec3<double>& x : p)
      if (x.allFinite()) low = low.cwiseMin(x), high = high.cwiseMax(x);
    constexpr int kCells = 1 << HilbertCurve::kLevels;
    const double cells = (kCells - 1) / std::max((high - low).maxCoeff(), 1e-300);
    keys_.resize(p.size());
    other_.resize(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      std::uint32_t place = 0;
      const Vec3<double> from = p[i] - low;
      if (from.squaredNorm() < 1e300) {  // not NaN, and the cell's index is finite
        const Vec3<double> cell = from * cells;
        place = kCurve(static_cast<std::uint32_t>(cell[0]), static_cast<std::uint32_t>(cell[1]),
                       static_cast<std::uint32_t>(cell[2]));
      }
      keys_[i] = {place, static_cast<std::uint32_t>(i)};
    }
    for (int shift = 0; shift < 3 * HilbertCurve::kLevels; shift += kBits) pass(shift);
    order_.resize(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) order_[i] = keys_[i].index;
    return order_;
  }

 private:
  static constexpr HilbertCurve kCurve{};
  static constexpr int kBits = 8;

  struct Key {
    std::uint32_t place, index;
  };

  // One pass of a stable radix sort, by kBits of the place.
  void pass(int shift) {
    constexpr std::uint32_t kMask = (1 << kBits) - 1;
    std::uint32_t start[kMask + 2] = {};
    for (const Key& key : keys_) ++start[(key.place >> shift & kMask) + 1];
    for (std::uint32_t k = 0; k < kMask; ++k) start[k + 1] += start[k];
    for (const Key& key : keys_) other_[start[key.place >> shift & kMask]++] = key;
    keys_.swap(other_);
  }

  std::vector<Key> keys_, other_;
  std::vector<std::uint32_t> order_;
};

struct Batch {
  const asset::PointsView& points;
  std::span<const Vec3<double>> p_Q;
  std::span<const std::uint32_t> sorted;
  double eps1;
  Order order;
  const Cutoffs& cutoffs;
  std::span<SoftDistance<double>> results;

  void one(std::uint32_t i) const {
    results[i] = p_Q[i].allFinite() ? internal::distance_by_fours(points, p_Q[i], eps1, order, cutoffs)
                                    : internal::no_distance<double>();
  }

  // Answers the queries sorted[first ... first + 8), or as many as there are.
  void packet(std::size_t first) const {
    const std::size_t last = std::min(first + kPacket, sorted.size());
    bool finite = last == first + kPacket;
    for (std::size_t k = first; finite && k < last; ++k) finite = p_Q[sorted[k]].allFinite();
    if (finite && together(sorted.subspan(first, kPacket))) return;
    for (std::size_t k = first; k < last; ++k) one(sorted[k]);
  }

  static Packet make_packet(std::span<const Vec3<double>> p_Q, std::span<const std::uint32_t> indices) {
    Packet packet;
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      double low = 1e300, high = -1e300;
      for (int lane = 0; lane < kPacket; ++lane) {
        const double x = packet.p[k][lane] = p_Q[indices[lane]][k];
        low = std::min(low, x);
        high = std::max(high, x);
      }
      packet.center[k] = (low + high) / 2;
      packet.half[k] = (high - low) / 2;
      square += packet.half[k] * packet.half[k];
    }
    packet.radius = std::sqrt(square);
    return packet;
  }

  // Answers eight queries as one packet; false if they are too far apart to share anything.
  bool together(std::span<const std::uint32_t> indices) const {
    const Packet packet = make_packet(p_Q, indices);
    if (packet.radius * packet.radius > 3 * eps1 * cutoffs.near) return false;
    Eight reference2;
    reference_by_eights(points.blocks, packet, reference2);
    const double farthest2 = simd::greatest_lane(reference2);
    if (farthest2 > kFarthest * eps1) return false;
    const bool far = farthest2 > internal::kMaxBits * std::numbers::ln2 * eps1;
    Candidates candidates;
    gather_by_eights(points.blocks, packet, (farthest2 + eps1 * cutoffs(farthest2)) * (1 + 1e-12), far,
                     candidates, reference2);
    if (!candidates.complete) return false;
    Eight out[10] = {};
    results_by_eights(points.blocks.numbers, packet, candidates, reference2, eps1, order, out);
    for (int lane = 0; lane < kPacket; ++lane) {
      SoftDistance<double>& result = results[indices[lane]];
      result.value = out[0][lane];
      for (int k = 0, m = 4; k < 3; ++k) {
        result.gradient[k] = out[1 + k][lane];
        for (int l = k; l < 3; ++l, ++m) result.hessian(k, l) = result.hessian(l, k) = out[m][lane];
      }
      result.status = Status::kOk;
    }
    return true;
  }
};

}  // namespace

void soft_distances(const asset::PointsView& points, std::span<const Vec3<double>> p_Q, double eps1,
                    Order order, std::span<SoftDistance<double>> results, double tolerance, int threads) {
  if (p_Q.size() != results.size())
    throw InvalidInput("soft distance: " + std::to_string(p_Q.size()) + " points but room for " +
                       std::to_string(results.size()) + " results");
  if (!usable_smoothing(eps1))
    throw InvalidInput("soft distance: eps1 is " + number_text(eps1) +
                       " m^2; it must be positive and at most 1e150");
  if (!(tolerance > 0))
    throw InvalidInput("soft distance: the tolerance is " + number_text(tolerance) + "; it must be positive");
  if (points.blocks.block_count <= 0) throw InvalidInput("soft distance: a cloud without points");
  const Cutoffs cutoffs(points, eps1, order, tolerance);
  thread_local SpatialOrder spatial;  // kept from call to call: no allocation in the steady state
  const bool in_packets = tolerance >= kRoughest;
  const Batch batch{points, p_Q,   in_packets ? spatial.sort(p_Q) : std::span<const std::uint32_t>(),
                    eps1,   order, cutoffs,
                    results};
  if (in_packets) {
    const auto count = static_cast<std::int64_t>((p_Q.size() + kPacket - 1) / kPacket);
    parallel_for(
        count, threads, [&](std::int64_t i, int) { batch.packet(kPacket * static_cast<std::size_t>(i)); },
        32);
  } else {
    parallel_for(
        static_cast<std::int64_t>(p_Q.size()), threads,
        [&](std::int64_t i, int) { batch.one(static_cast<std::uint32_t>(i)); }, 256);
  }
}

}  // namespace abut::ssdf
