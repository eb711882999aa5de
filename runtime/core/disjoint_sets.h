#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace abut {

// Which of 0, 1, ..., count - 1 are joined with which.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  // The least of those that i is joined with.
  std::int32_t least(std::int32_t i) {
    while (of(i) != i) i = of(i) = of(of(i));
    return i;
  }
  void join(std::int32_t i, std::int32_t k) {
    const std::int32_t a = least(i), b = least(k);
    of(std::max(a, b)) = std::min(a, b);
  }

 private:
  std::int32_t& of(std::int32_t i) { return parent_[static_cast<std::size_t>(i)]; }

  std::vector<std::int32_t> parent_;
};

}  // namespace abut
