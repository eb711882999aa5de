#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/placed_shape.h"

namespace abut::dynamics {

// Two bodies, A < B, whose bounding boxes may overlap. Indices below `fixed` of update() are fixed shapes.
struct BodyPair {
  std::int32_t A, B;  // indices in the bounds given to update()
};

// Finds pairs of bounding boxes that may overlap, by a sorted uniform grid. Boxes are enlarged, and pairs are
// reused as long as neither body leaves its enlarged box, so that a scene at rest costs one comparison per
// body, and a few moving ones, as an arm beside a pile, one per body each.
class BroadPhase {
 public:
  // Returns all pairs whose boxes overlap, and some more, ascending. `bounds` are first those of the `fixed`
  // shapes, which never form pairs with one another, and then those of the bodies; all may be infinite.
  // Allocates only to grow. Throws InvalidInput where there are more than 2^20 pairs and more than 256 per
  // body: bodies in a heap have some tens each, bodies all in one place have all others, and a pair takes
  // kilobytes.
  std::span<const BodyPair> update(std::span<const Bounds> bounds, std::size_t fixed);

 private:
  void find_left(std::span<const Bounds> bounds);
  void grow(std::span<const Bounds> bounds, std::size_t fixed);
  void fill_cells(std::size_t fixed);
  void search_all(std::span<const Bounds> bounds, std::size_t fixed);
  void search_left(std::span<const Bounds> bounds);
  void add_pair(std::size_t A, std::size_t B);

  using Cell = std::array<std::uint32_t, 3>;  // cell numbers along the axes
  struct Entry {
    std::uint64_t cell;
    std::int32_t body;
  };
  std::vector<Bounds> roomy_;
  std::vector<std::size_t> left_;       // bodies outside their enlarged boxes, ascending
  std::vector<std::uint8_t> has_left_;  // 1 for these
  std::vector<double> sizes_;
  std::vector<std::int32_t> large_;  // bodies that are too large for the grid
  std::vector<Cell> lowest_;         // first cell of each body in the grid
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> keys_, merged_;
  std::vector<BodyPair> pairs_;
  double cell_ = 0;
};

}  // namespace abut::dynamics
