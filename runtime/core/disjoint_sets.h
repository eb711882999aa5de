#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace abut {

// Disjoint sets (union-find) of the integers 0, 1, ..., count - 1; at first each is a set by itself.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count = 0) { reset(count); }

  // Starts anew; allocates only for more integers than before.
  void reset(std::size_t count) {
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  // Returns the smallest member of the set of i. Shortens paths, hence not const.
  std::int32_t least(std::int32_t i) {
    while (of(i) != i) i = of(i) = of(of(i));
    return i;
  }
  // Merges the sets of i and k.
  void join(std::int32_t i, std::int32_t k) {
    const std::int32_t a = least(i), b = least(k);
    of(std::max(a, b)) = std::min(a, b);
  }

 private:
  std::int32_t& of(std::int32_t i) { return parent_[static_cast<std::size_t>(i)]; }

  std::vector<std::int32_t> parent_;
};

}  // namespace abut
