#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/bvh/tree.h"
#include "runtime/math/pose.h"

namespace abut::bvh {

// Calls leaf(first, count, bound) for leaves near a point, depth first and at each node the nearest child box
// first. `bound` (m^2) is a squared distance that the callback lowers as it finds nearer primitives; boxes
// beyond it are skipped. A box that may hold anything at or within the bound is never skipped, although boxes
// are compared in single precision: the point is rounded away from each side and the bound is raised by more
// than the rounding of the comparison. Does not allocate.
template <class S, class Leaf>
void visit_nearest(const TreeView& tree, const Vec3<S>& point, S& bound, Leaf&& leaf) {
  using Lanes = Eigen::Array<float, kWidth, 1>;
  using Row = Eigen::Map<const Lanes>;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  struct Entry {
    float distance2;
    std::int32_t child;
    std::int32_t count;
  };
  float below[3], above[3];  // the point rounded down and up
  for (int k = 0; k < 3; ++k) {
    const float rounded = static_cast<float>(point[k]);
    below[k] = static_cast<S>(rounded) > point[k] ? std::nextafter(rounded, -kInfinity) : rounded;
    above[k] = static_cast<S>(rounded) < point[k] ? std::nextafter(rounded, kInfinity) : rounded;
  }
  // A squared distance takes six operations of relative error 2^-24 each; denormal numbers lose all
  // precision.
  const auto raise = [](S x) {
    return static_cast<float>(x) * (1 + 1e-6f) + std::numeric_limits<float>::min();
  };

  std::array<Entry, 3 * kMaxDepth + 4> stack;
  int size = 0;
  stack[size++] = {0, 0, 0};
  float limit = raise(bound);
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.distance2 > limit) continue;
    if (entry.count > 0) {
      leaf(entry.child, entry.count, bound);
      limit = raise(bound);
      continue;
    }
    const float* bounds = tree.bounds + std::ptrdiff_t(entry.child) * 6 * kWidth;
    Lanes distance2 = Lanes::Zero();
    for (int k = 0; k < 3; ++k) {
      const Lanes outside =
          (Row(bounds + k * kWidth) - above[k]).max(below[k] - Row(bounds + (3 + k) * kWidth));
      distance2 += outside.max(0.f).square();
    }
    const int base = size;
    for (int c = 0; c < kWidth; ++c) {
      const std::int32_t slot = entry.child * kWidth + c;
      if (!(distance2[c] <= limit) || tree.counts[slot] < 0) continue;
      // Insertion sort: the nearest box ends on top of the stack.
      int place = size++;
      for (; place > base && stack[place - 1].distance2 < distance2[c]; --place)
        stack[place] = stack[place - 1];
      stack[place] = {distance2[c], tree.children[slot], tree.counts[slot]};
    }
  }
}

// Calls leaf(first, count) for every leaf all of whose enclosing boxes satisfy meets(low, high), where low
// and high (m) are a box's corners in double precision. Does not allocate.
template <class Meets, class Leaf>
void visit_boxes(const TreeView& tree, Meets&& meets, Leaf&& leaf) {
  if (tree.nodes == 0) return;
  std::array<std::int32_t, 3 * kMaxDepth + 4> stack;
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::int32_t node = stack[--size];
    const float* bounds = tree.bounds + std::ptrdiff_t(node) * 6 * kWidth;
    for (int c = 0; c < kWidth; ++c) {
      const std::int32_t slot = node * kWidth + c;
      if (tree.counts[slot] < 0) continue;
      Vec3<double> low, high;
      for (int k = 0; k < 3; ++k) {
        low[k] = bounds[k * kWidth + c];
        high[k] = bounds[(3 + k) * kWidth + c];
      }
      if (!meets(low, high)) continue;
      if (tree.counts[slot] > 0)
        leaf(tree.children[slot], tree.counts[slot]);
      else
        stack[size++] = tree.children[slot];
    }
  }
}

}  // namespace abut::bvh
