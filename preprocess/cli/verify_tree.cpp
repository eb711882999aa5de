#include "preprocess/cli/verify_tree.h"

#include <fmt/format.h>

#include <vector>

namespace abut::preprocess {
namespace {

bool box_contains(const bvh::TreeView& tree, std::int32_t slot, const double* p) {
  const float* box = tree.bounds + slot / bvh::kWidth * 6 * bvh::kWidth + slot % bvh::kWidth;
  for (int axis = 0; axis < 3; ++axis)
    if (!(box[axis * bvh::kWidth] <= p[axis] && p[axis] <= box[(axis + 3) * bvh::kWidth])) return false;
  return true;
}

bool box_contains_box(const bvh::TreeView& tree, std::int32_t outer, std::int32_t inner) {
  const float* box = tree.bounds + inner / bvh::kWidth * 6 * bvh::kWidth + inner % bvh::kWidth;
  for (const int first : {0, 3}) {
    const double corner[3] = {box[first * bvh::kWidth], box[(first + 1) * bvh::kWidth],
                              box[(first + 2) * bvh::kWidth]};
    if (!box_contains(tree, outer, corner)) return false;
  }
  return true;
}

}  // namespace

std::string tree_problem(const bvh::TreeView& tree, const TreePrimitives& below) {
  std::vector<int> covered(static_cast<std::size_t>(below.count), 0);
  std::vector<int> parents(static_cast<std::size_t>(tree.nodes), 0);
  for (std::int32_t slot = 0; slot < tree.nodes * bvh::kWidth; ++slot) {
    const std::int32_t count = tree.counts[slot], child = tree.children[slot];
    if (count < 0) continue;
    if (count == 0) {
      ++parents[static_cast<std::size_t>(child)];
      for (std::int32_t k = 0; k < bvh::kWidth; ++k)
        if (tree.counts[child * bvh::kWidth + k] >= 0 &&
            !box_contains_box(tree, slot, child * bvh::kWidth + k))
          return fmt::format("tree: the box of node {} sticks out of its parent's", child);
    }
    for (std::int32_t i = child; i < child + count; ++i) {
      ++covered[static_cast<std::size_t>(i)];
      for (int k = 0; k < below.corners; ++k)
        if (!box_contains(tree, slot, below.vertices + 3 * below.primitives[below.corners * i + k]))
          return fmt::format("tree: {} {} sticks out of its leaf's box", below.name, i);
    }
  }
  for (std::size_t i = 0; i < covered.size(); ++i)
    if (covered[i] != 1) return fmt::format("tree: {} {} is in {} leaves", below.name, i, covered[i]);
  for (std::size_t n = 0; n < parents.size(); ++n)
    if (parents[n] != (n == 0 ? 0 : 1)) return fmt::format("tree: node {} has {} parents", n, parents[n]);
  return "";
}

}  // namespace abut::preprocess
