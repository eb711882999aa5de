#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <vector>

namespace abut::preprocess {

// A binary tree of axis-aligned boxes whose leaves may change: replacing a leaf's box refits its ancestors.
// Queries stay efficient as long as boxes move little; rebuild the tree when most of its boxes are gone.
class BoxTree {
 public:
  using Box = Eigen::AlignedBox3d;

  // Builds the tree. Items are numbered by their index in `boxes`; empty boxes do not enter the tree.
  void build(const std::vector<Box>& boxes);
  // Replaces the box of an item that was in the tree when it was built; an empty box removes the item.
  void set(std::int32_t item, const Box& box);

  // Calls visit(item) for the items whose boxes `enter` accepts, until one call returns true; returns whether
  // one did. `enter(box)` must accept a box if it accepts any part of it.
  template <class Enter, class Visit>
  bool any(Enter&& enter, Visit&& visit) const {
    if (nodes_.empty()) return false;
    std::int32_t stack[64];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[stack[--top]];
      if (node.box.isEmpty() || !enter(node.box)) continue;
      if (node.item >= 0) {
        if (visit(node.item)) return true;
        continue;
      }
      stack[top++] = node.second;
      stack[top++] = node.first;
    }
    return false;
  }

 private:
  struct Node {
    Box box;
    std::int32_t parent = -1, first = -1, second = -1;  // children; -1 in a leaf
    std::int32_t item = -1;                             // -1 in an inner node
  };

  std::int32_t build(std::vector<std::int32_t>& items, std::size_t begin, std::size_t end,
                     const std::vector<Box>& boxes, std::int32_t parent);

  std::vector<Node> nodes_;  // nodes_[0] is the root
  std::vector<std::int32_t> leaf_of_;
};

}  // namespace abut::preprocess
