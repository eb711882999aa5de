#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/bvh/tree.h"

namespace abut::bvh {

// An axis-aligned box, m.
struct Box {
  Eigen::Vector3d lo, hi;  // least and greatest coordinates
};

// A built tree and the order in which its primitives must be stored.
struct BuiltTree {
  Tree tree;                        // over the primitives in that order
  std::vector<std::int32_t> order;  // leaf position -> input index: store the primitives in this order
};

// Builds the four-wide tree over one box per primitive (triangle, tetrahedron, point): a binary tree by the
// binned surface-area heuristic, collapsed to four children per node. Leaves hold at most `leaf_size` > 0
// primitives and the depth is at most kMaxDepth for any input. Single-threaded, deterministic, O(n log n).
// Throws InvalidInput, naming the box, where one is not finite, exceeds 1e15 m or has lo > hi.
BuiltTree build_tree(std::span<const Box> boxes, int leaf_size = 4);

}  // namespace abut::bvh
