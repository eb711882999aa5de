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
constexpr std::uint64_t kSecond = 0xffffffff;  // the second body of a pair's key
constexpr std::size_t kFew = 64;  // so many bodies are compared with every other sooner than the grid is made
constexpr std::size_t kManyPairs = std::size_t{1} << 20, kManyOfOne = 256;

// Number of the cell along an axis. The first and the last cell extend to infinity; NaN belongs to the first.
std::uint32_t cell_number(double x, double cell) {
  constexpr double kHalf = 1 << (kAxisBits - 1);
  const double number = std::floor(x / cell);
  return number > -kHalf ? static_cast<std::uint32_t>(std::min(number, kHalf - 1) + kHalf) : 0;
}

Bounds with_room(Bounds bounds) {
  bounds.grow(kRoom * (bounds.high - bounds.low).maxCoeff());
  return bounds;
}

std::uint64_t cell_key(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return (x << 2 * kAxisBits) | (y << kAxisBits) | z;
}

}  // namespace

void BroadPhase::find_left(std::span<const Bounds> bounds) {
  left_.clear();
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (!roomy_[i].contains(bounds[i])) left_.push_back(i);
}

void BroadPhase::grow(std::span<const Bounds> bounds, std::size_t fixed) {
  roomy_.assign(bounds.begin(), bounds.end());
  sizes_.clear();
  large_.clear();
  for (std::size_t i = fixed; i < roomy_.size(); ++i) {
    const double size = (roomy_[i].high - roomy_[i].low).maxCoeff();
    roomy_[i] = with_room(bounds[i]);
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

void BroadPhase::search_all(std::span<const Bounds> bounds, std::size_t fixed) {
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
  left_.reserve(roomy_.size());
  has_left_.reserve(roomy_.size());
  keys_.reserve(2 * keys_.size() + roomy_.size());
  merged_.reserve(keys_.capacity());
}

// Replaces the pairs of the bodies that left their boxes; all others stay.
void BroadPhase::search_left(std::span<const Bounds> bounds) {
  has_left_.assign(roomy_.size(), 0);
  for (const std::size_t i : left_) {
    roomy_[i] = with_room(bounds[i]);
    has_left_[i] = 1;
  }
  std::erase_if(keys_,
                [&](std::uint64_t key) { return (has_left_[key >> 32] | has_left_[key & kSecond]) != 0; });
  const auto stay = static_cast<std::ptrdiff_t>(keys_.size());
  for (const std::size_t i : left_)
    for (std::size_t j = 0; j < roomy_.size(); ++j)
      if (has_left_[j] == 0 || j > i) add_pair(i, j);
  std::sort(keys_.begin() + stay, keys_.end());
  merged_.resize(keys_.size());
  std::merge(keys_.begin(), keys_.begin() + stay, keys_.begin() + stay, keys_.end(), merged_.begin());
  keys_.swap(merged_);
}

std::span<const BodyPair> BroadPhase::update(std::span<const Bounds> bounds, std::size_t fixed) {
  const bool anew = roomy_.size() != bounds.size();
  if (!anew) find_left(bounds);
  if (!anew && left_.empty()) return pairs_;
  if (anew || left_.front() < fixed || left_.size() > kFew)
    search_all(bounds, fixed);
  else
    search_left(bounds);
  pairs_.clear();
  pairs_.reserve(keys_.capacity());
  for (const std::uint64_t key : keys_)
    pairs_.push_back({static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key & kSecond)});
  return pairs_;
}

}  // namespace abut::dynamics
