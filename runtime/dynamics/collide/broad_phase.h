#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

namespace abut::dynamics {

// Two bodies whose boxes may meet, A < B. Indices below `fixed` of update() stand for the fixed shapes.
struct BodyPair {
  std::int32_t A, B;  // indices of update()
};

// Pairs of boxes that may meet: a uniform grid, sorted. A box gets room to move; as long as none leaves it
// the list stands, so that a scene at rest costs a comparison a body.
class BroadPhase {
 public:
  // bounds: first those of the fixed shapes (which meet one another nowhere), then those of the bodies. Both
  // may be infinite. Returns all pairs that meet, and some more, ascending. Allocates only to grow. Throws
  // InvalidInput where there are more than 2^20 of them and more than 256 a body: bodies in a heap have some
  // tens each, bodies in one place all others, and a pair takes kilobytes.
  std::span<const BodyPair> update(std::span<const Bounds> bounds, std::size_t fixed);

 private:
  bool holds(std::span<const Bounds> bounds) const;
  void grow(std::span<const Bounds> bounds, std::size_t fixed);
  void fill_cells(std::size_t fixed);
  void add_pair(std::size_t A, std::size_t B);

  using Cell = std::array<std::uint32_t, 3>;  // numbers along the axes
  struct Entry {
    std::uint64_t cell;
    std::int32_t body;
  };
  std::vector<Bounds> roomy_;
  std::vector<double> sizes_;
  std::vector<std::int32_t> large_;  // bodies that no cell holds
  std::vector<Cell> lowest_;         // first cell of each body that has any
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> keys_;
  std::vector<BodyPair> pairs_;
  double cell_ = 0;
};

}  // namespace abut::dynamics
