#include "runtime/dynamics/collide/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/core/error.h"

namespace abut::dynamics {
namespace {

constexpr double kRoom = 0.05;  // enlargement on every side, relative to the box's largest side
constexpr double kLarge = 4;    // a box larger than this many medians is compared with every other
constexpr int kAxisBits = 21;   // bits of a cell's number along an axis
constexpr std::size_t kManyPairs = std::size_t{1} << 20, kManyOfOne = 256;

// Number of the cell along an axis. The first and the last cell extend to infinity; NaN belongs to the first.
std::uint32_t cell_number(double x, double cell) {
  constexpr double kHalf = 1 << (kAxisBits - 1);
  const double number = std::floor(x / cell);
  return number > -kHalf ? static_cast<std::uint32_t>(std::min(number, kHalf - 1) + kHalf) : 0;
}

std::uint64_t cell_key(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return (x << 2 * kAxisBits) | (y << kAxisBits) | z;
}

}  // namespace

bool BroadPhase::holds(std::span<const Bounds> bounds) const {
  if (roomy_.size() != bounds.size()) return false;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (!roomy_[i].contains(bounds[i])) return false;
  return true;
}

void BroadPhase::grow(std::span<const Bounds> bounds, std::size_t fixed) {
  roomy_.assign(bounds.begin(), bounds.end());
  sizes_.clear();
  large_.clear();
  for (std::size_t i = fixed; i < roomy_.size(); ++i) {
    const double size = (roomy_[i].high - roomy_[i].low).maxCoeff();
    roomy_[i].grow(kRoom * size);
    if (size > 0) sizes_.push_back(size * (1 + 2 * kRoom));  // a body without shapes has size 0
  }
  cell_ = 1;
  if (sizes_.empty()) return;
  const auto median = sizes_.begin() + static_cast<std::ptrdiff_t>(sizes_.size() / 2);
  std::nth_element(sizes_.begin(), median, sizes_.end());
  const double most = kLarge * *median;
  cell_ = 0;
  for (std::size_t i = fixed; i < roomy_.size(); ++i) {
    const double size = (roomy_[i].high - roomy_[i].low).maxCoeff();
    if (size <= most)
      cell_ = std::max(cell_, size);
    else
      large_.push_back(static_cast<std::int32_t>(i));
  }
}

void BroadPhase::fill_cells(std::size_t fixed) {
  entries_.clear();
  lowest_.resize(roomy_.size());
  std::size_t next_large = 0;
  for (std::size_t i = fixed; i < roomy_.size(); ++i) {
    if (next_large < large_.size() && large_[next_large] == static_cast<std::int32_t>(i)) {
      ++next_large;
      continue;
    }
    Cell& low = lowest_[i];
    Cell high;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      low[k] = cell_number(roomy_[i].low[axis], cell_);
      high[k] = cell_number(roomy_[i].high[axis], cell_);
    }
    for (std::uint32_t x = low[0]; x <= high[0]; ++x)
      for (std::uint32_t y = low[1]; y <= high[1]; ++y)
        for (std::uint32_t z = low[2]; z <= high[2]; ++z)
          entries_.push_back({cell_key(x, y, z), static_cast<std::int32_t>(i)});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.body < b.body;
  });
}

void BroadPhase::add_pair(std::size_t A, std::size_t B) {
  if (!roomy_[A].meets(roomy_[B])) return;
  if (A > B) std::swap(A, B);
  keys_.push_back(static_cast<std::uint64_t>(A) << 32 | B);
  const std::size_t bodies = roomy_.size();
  if (keys_.size() <= kManyPairs || keys_.size() <= kManyOfOne * bodies) return;
  roomy_.clear();  // makes the next update() start anew
  throw InvalidInput("of " + std::to_string(bodies) + " bodies over " + std::to_string(keys_.size() - 1) +
                     " pairs are close enough to touch, more than " + std::to_string(kManyOfOne) +
                     " a body; are they in one place?");
}

std::span<const BodyPair> BroadPhase::update(std::span<const Bounds> bounds, std::size_t fixed) {
  if (holds(bounds)) return pairs_;
  grow(bounds, fixed);
  fill_cells(fixed);
  keys_.clear();
  for (std::size_t first = 0; first < entries_.size();) {
    std::size_t end = first + 1;
    while (end < entries_.size() && entries_[end].cell == entries_[first].cell) ++end;
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t j = i + 1; j < end; ++j) {
        const auto A = static_cast<std::size_t>(entries_[i].body),
                   B = static_cast<std::size_t>(entries_[j].body);
        // Adds the pair only in the first cell that both share.
        const Cell &a = lowest_[A], &b = lowest_[B];
        const std::uint64_t common =
            cell_key(std::max(a[0], b[0]), std::max(a[1], b[1]), std::max(a[2], b[2]));
        if (common == entries_[first].cell) add_pair(A, B);
      }
    }
    first = end;
  }
  for (std::size_t i = 0; i < fixed; ++i)
    for (std::size_t j = fixed; j < roomy_.size(); ++j) add_pair(i, j);
  for (const std::int32_t i : large_)
    for (auto j = static_cast<std::int32_t>(fixed); j < static_cast<std::int32_t>(roomy_.size()); ++j)
      if (j > i || (j < i && !std::binary_search(large_.begin(), large_.end(), j)))
        add_pair(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  std::sort(keys_.begin(), keys_.end());
  pairs_.clear();
  for (const std::uint64_t key : keys_)
    pairs_.push_back({static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key & 0xffffffffU)});
  return pairs_;
}

}  // namespace abut::dynamics
