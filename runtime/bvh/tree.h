#pragma once

#include <cstdint>
#include <vector>

// A four-wide bounding volume hierarchy, flat in memory: node 0 is the root, children follow their parent.
// It is built offline (runtime/bvh/build.h) over primitives that are then stored in leaf order,
// so that a leaf is a contiguous range. Boxes are single precision, rounded outward: a box always contains
// its primitives.
namespace abut::bvh {

inline constexpr int kWidth = 4;  // children of a node

// Greatest depth of a leaf of a built tree (the root's children have depth 1); traversals size their stacks
// by it.
inline constexpr int kMaxDepth = 64;

// The arrays of a tree, owned. For unused child slots see TreeView.
struct Tree {
  std::vector<float> bounds;           // (nodes, 6, 4): rows min x, y, z, max x, y, z of the four children, m
  std::vector<std::int32_t> children;  // (nodes, 4): node of an inner child; first primitive of a leaf
  std::vector<std::int32_t>
      counts;  // (nodes, 4): 0: inner child; > 0: number of primitives of a leaf; -1: no child
};

// The arrays of a tree, not owned. An unused child slot has an inverted box (min +infinity, max -infinity)
// and count -1.
struct TreeView {
  const float* bounds = nullptr;           // (nodes, 6, 4), m
  const std::int32_t* children = nullptr;  // (nodes, 4)
  const std::int32_t* counts = nullptr;    // (nodes, 4)
  std::int32_t nodes = 0;                  // 0: an empty tree
};

// Returns a view that is valid while `tree` exists and is not changed.
inline TreeView view(const Tree& tree) {
  return {tree.bounds.data(), tree.children.data(), tree.counts.data(),
          static_cast<std::int32_t>(tree.counts.size() / kWidth)};
}

}  // namespace abut::bvh
