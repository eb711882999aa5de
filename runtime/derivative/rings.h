#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::derivative {

// Walks the edges of a hull ring by ring. Keeps its memory, which grows to the largest hull seen and is then
// never reallocated; not thread-safe: use one per thread.
class RingWalk {
 public:
  // Returns the vertices within `rings` edges of any of `seeds` (breadth first, seeds first, each once);
  // valid until the next call. Not inlined: in a larger function the compiler runs out of registers for the
  // innermost loop.
  [[gnu::noinline]] std::span<const std::int32_t> gather(const asset::ConvexView& hull,
                                                         std::span<const std::int32_t> seeds, int rings) {
    reserve(hull.vertex_count);
    next_mark();
    std::int32_t* const queue = queue_.data();
    std::uint32_t* const stamps = stamps_.data();
    const std::int32_t *const offsets = hull.adjacency_offsets, *const adjacency = hull.adjacency;
    const std::uint32_t mark = mark_;
    std::size_t count = 0;
    // Each vertex is written first and kept only if it is new, which avoids a branch that the processor could
    // mispredict. Stamps never exceed the mark, so that the carry of the comparison is the value to add.
    const auto add = [queue, stamps, mark, &count](std::int32_t v) {
      const std::size_t at = static_cast<std::uint32_t>(v);
      queue[count] = v;
      count += stamps[at] < mark;
      stamps[at] = mark;
    };
    for (const std::int32_t seed : seeds) add(seed);
    std::size_t begin = 0;
    for (int ring = 0; ring < rings && begin < count; ++ring) {
      const std::size_t end = count;
      for (; begin < end; ++begin) {
        const std::int32_t* const row = offsets + static_cast<std::uint32_t>(queue[begin]);
        const std::int32_t* const last = adjacency + row[1];
        for (const std::int32_t* k = adjacency + row[0]; k != last; ++k) add(*k);
      }
    }
    return {queue, count};
  }

 private:
  void reserve(std::int32_t vertex_count) {
    if (stamps_.size() >= static_cast<std::size_t>(vertex_count)) return;
    stamps_.assign(vertex_count, 0);
    mark_ = 0;
    queue_.resize(vertex_count + 1);
  }

  void next_mark() {
    if (++mark_ != 0) return;
    std::fill(stamps_.begin(), stamps_.end(), 0u);  // once in 2^32 walks
    mark_ = 1;
  }

  std::vector<std::uint32_t> stamps_;  // by vertex; equal to mark_: seen in this walk
  std::vector<std::int32_t> queue_;
  std::uint32_t mark_ = 0;
};

}  // namespace abut::derivative
