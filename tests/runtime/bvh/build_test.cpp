#include "runtime/bvh/build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "runtime/core/error.h"
#include "runtime/core/random.h"

namespace {

using abut::Random;
using abut::bvh::Box;
using abut::bvh::build_tree;
using abut::bvh::BuiltTree;
using abut::bvh::kWidth;

// Checks that every slot's box contains the boxes of all primitives below it, that leaves partition the
// primitives in ascending order and that children follow their parent; returns the depth of the deepest leaf.
int check_below(const BuiltTree& built, const std::vector<Box>& boxes, std::int32_t node, int leaf_size,
                std::int32_t& next) {
  int depth = 0;
  for (int c = 0; c < kWidth; ++c) {
    const std::int32_t count = built.tree.counts[node * kWidth + c],
                       child = built.tree.children[node * kWidth + c];
    const float* bounds = &built.tree.bounds[node * 6 * kWidth];
    if (count < 0) {
      for (int k = 0; k < 3; ++k) EXPECT_GT(bounds[k * kWidth + c], bounds[(3 + k) * kWidth + c]);
      continue;
    }
    const std::int32_t begin = next;
    if (count == 0) {
      EXPECT_GT(child, node);
      depth = std::max(depth, 1 + check_below(built, boxes, child, leaf_size, next));
    } else {
      EXPECT_LE(count, leaf_size);
      EXPECT_EQ(child, next);
      next += count;
      depth = std::max(depth, 1);
    }
    bool contained = true;
    for (std::int32_t i = begin; i < next; ++i) {
      for (int k = 0; k < 3; ++k) {
        contained &= static_cast<double>(bounds[k * kWidth + c]) <= boxes[built.order[i]].lo[k];
        contained &= static_cast<double>(bounds[(3 + k) * kWidth + c]) >= boxes[built.order[i]].hi[k];
      }
    }
    EXPECT_TRUE(contained);
  }
  return depth;
}

int check(const BuiltTree& built, const std::vector<Box>& boxes, int leaf_size) {
  std::vector<std::int32_t> order = built.order;
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<std::int32_t>(i));
  std::int32_t next = 0;
  const int depth = check_below(built, boxes, 0, leaf_size, next);
  EXPECT_EQ(next, static_cast<std::int32_t>(boxes.size()));
  return depth;
}

std::vector<Box> random_boxes(int count, double size) {
  std::vector<Box> boxes;
  for (int i = 0; i < count; ++i) {
    Random random(7, i);
    const Eigen::Vector3d lo(random.uniform(), random.uniform(), random.uniform());
    boxes.push_back({lo, lo + size * Eigen::Vector3d(random.uniform(), random.uniform(), random.uniform())});
  }
  return boxes;
}

TEST(TreeBuilder, HoldsEveryBoxOnce) {
  for (const int count : {0, 1, 2, 3, 4, 5, 9, 17, 100, 10000}) {
    for (const int leaf_size : {1, 4, 8}) {
      const std::vector<Box> boxes = random_boxes(count, 0.02);
      EXPECT_LE(check(build_tree(boxes, leaf_size), boxes, leaf_size), 12);
    }
  }
}

TEST(TreeBuilder, StaysShallowOnHardInput) {
  // All in one place; each a tenth of the one before; a few far outliers.
  std::vector<Box> same(5000, {Eigen::Vector3d::Constant(0.3), Eigen::Vector3d::Constant(0.3)});
  std::vector<Box> shrinking, outliers = random_boxes(1000, 1e-6);
  for (int i = 0; i < 4000; ++i) {
    const Eigen::Vector3d p = Eigen::Vector3d::Constant(std::pow(0.9, i));
    shrinking.push_back({p, p});
  }
  for (int i = 0; i < 15; ++i)
    outliers.push_back({Eigen::Vector3d::Constant(std::pow(10, i)), Eigen::Vector3d::Constant(1e15)});
  for (const auto& boxes : {same, shrinking, outliers})
    EXPECT_LE(check(build_tree(boxes, 1), boxes, 1), abut::bvh::kMaxDepth);
}

TEST(TreeBuilder, RefusesUnusableBoxes) {
  std::vector<Box> boxes = random_boxes(5, 0.1);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e16}) {
    boxes[3].hi[1] = bad;
    try {
      build_tree(boxes);
      FAIL();
    } catch (const abut::InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("box 3"), std::string::npos);
    }
  }
}

TEST(TreeBuilder, BuildsAMillionTwice) {
  const std::vector<Box> boxes = random_boxes(1000000, 0.003);
  const BuiltTree built = build_tree(boxes);
  const BuiltTree again = build_tree(boxes);
  EXPECT_EQ(built.order, again.order);
  EXPECT_EQ(built.tree.bounds, again.tree.bounds);
}

}  // namespace
